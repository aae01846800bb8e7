package device

import (
	"context"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/datatree"
)

// find is ensure and view. An entry that is expected and not found is read
// again, alone: devices that are busy have answered that a whole family is not
// there.
func (s *snapshot) find(ctx context.Context, r reader, p *gpb.Path, expected bool) (*datatree.Node, *gpb.Path, error) {
	if err := s.ensure(ctx, r, p); err != nil {
		return nil, nil, err
	}
	entry, spelled := s.view(p)
	if entry != nil || !expected {
		return entry, spelled, nil
	}
	if err := s.again(ctx, r, p); err != nil {
		return nil, nil, err
	}
	entry, spelled = s.view(p)
	return entry, spelled, nil
}

// again reads the entry at p alone. When it is there, what was read of its
// family is not to be relied on. A device that itself says that there is no such
// path leaves it at the first answer; any other failure is one.
func (s *snapshot) again(ctx context.Context, r reader, p *gpb.Path) error {
	values, err := r.Get(ctx, p)
	switch code := refusal(err); {
	case code == codes.InvalidArgument || code == codes.Unimplemented:
		return nil
	case err != nil:
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range values {
		if err := s.root.DecodeAt(v.Path.GetElem(), v.JSON); err != nil {
			return err
		}
	}
	if family := datatree.PathText(s.family(p)); s.root.At(p.GetElem()) != nil && s.fetches[family].fresh() {
		delete(s.fetches, family)
	}
	return nil
}
