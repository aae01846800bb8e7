package simulator

import (
	"crypto/tls"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// spoil returns what chooses a connection's certificate when something is wrong
// with it: see the quirk of that name.
func spoil(own tls.Certificate, how string) (func(*tls.ClientHelloInfo) (*tls.Certificate, error), error) {
	if !own.Leaf.IsCA {
		return nil, errors.New("a certificate that is " + how + " needs an authority that signs it, and the server's certificate is none")
	}
	template, authority, good := serverCertificate(), &own, int64(0)
	template.DNSNames, template.IPAddresses = own.Leaf.DNSNames, own.Leaf.IPAddresses
	switch how {
	case "expired":
		template.NotBefore, template.NotAfter = time.Now().AddDate(-1, 0, 0), time.Now().Add(-time.Hour)
	case "no_san":
		template.DNSNames, template.IPAddresses = nil, nil
	default:
		authority, good = nil, 1
	}
	cert, key, err := sign(template, authority)
	if err != nil {
		return nil, err
	}
	spoilt, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("reading a certificate made just now: %w", err)
	}
	var seen atomic.Int64
	return func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		if seen.Add(1) <= good {
			return &own, nil
		}
		return &spoilt, nil
	}, nil
}
