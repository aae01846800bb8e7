package kubelease

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/terraform-openconfig/terraform-provider-openconfig/internal/devicelock/kubelease/kubetest"
)

func TestThoseWhoAskInTheSameSecondWaitInTheirOrder(t *testing.T) {
	cluster := kubetest.Start(t)
	stores := []*Store{openCluster(t, cluster), openCluster(t, cluster)}
	take(t, stores[0], request("holder", time.Minute))
	var want []string
	for i := range 10 {
		id := fmt.Sprintf("waiter%d", i)
		wait(t, stores[i%2], request(id, time.Minute))
		want = append(want, id)
	}
	check := func(when string) {
		t.Helper()
		record, err := stores[0].Inspect(t.Context(), device)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, owner := range record.Waiting {
			got = append(got, owner.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s they wait as %v, want %v", when, got, want)
		}
	}
	check("having asked once")
	for i, id := range slices.Backward(want) {
		r := request(id, time.Minute)
		r.Owner.Resource = "something else" // is written at once
		wait(t, stores[i%2], r)
	}
	check("having asked again")
}
