package simulator

import (
	"context"
	"testing"

	"github.com/openconfig/gnmi/proto/gnmi"
)

func TestASetThatHangsIsNoOverlapOnceItsClientGaveUp(t *testing.T) {
	var j journal
	arrive := func(ctx context.Context) *call {
		c, err := j.arrive(ctx, "Set", &gnmi.SetRequest{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	ctx, giveUp := context.WithCancel(t.Context())
	hung := arrive(ctx)
	j.hang(ctx, hung)
	if second := arrive(t.Context()); second.Overlap != 1 {
		t.Errorf("while its client waits, %d Sets overlap", second.Overlap)
	} else {
		j.leave(second, nil)
	}
	giveUp()
	third := arrive(t.Context())
	j.leave(hung, ctx.Err())
	if third.Overlap != 0 || arrive(t.Context()).Overlap != 1 || j.stats.PeakSets != 2 {
		t.Errorf("after that %d Sets overlap, %+v", third.Overlap, j.stats)
	}
}
