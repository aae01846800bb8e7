// Package pemtext reads settings for which users give PEM text, or the name of a
// file that holds it.
package pemtext

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// Read returns value if it is PEM text (RFC 7468), else the content of the file
// that it names. An error does not repeat value: what was meant as a key and is
// none would be shown.
func Read(value string) ([]byte, error) {
	if strings.Contains(value, "-----BEGIN ") {
		return []byte(value), nil
	}
	text, err := os.ReadFile(value)
	var at *fs.PathError
	if errors.As(err, &at) {
		return nil, fmt.Errorf("neither PEM text nor a readable file: %w", at.Err)
	}
	return text, err
}
