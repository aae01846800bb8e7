package simulator

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
)

// Record is what the log keeps of one RPC.
type Record struct {
	// Start is when the RPC arrived, End when its reply was ready.
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
	// RPC is Capabilities, Get, Set or Subscribe.
	RPC string `json:"rpc"`
	// Delete, Replace and Update are the paths of a Set, prefix included.
	Delete  []string `json:"delete,omitempty"`
	Replace []string `json:"replace,omitempty"`
	Update  []string `json:"update,omitempty"`
	// Election is the election id that a Set carried, empty without.
	Election string `json:"election,omitempty"`
	// Commit is the action of the commit-confirmed extension that a Set carried:
	// commit, confirm, cancel or set_rollback_duration. CommitID is its id. Both
	// are empty without the extension.
	Commit   string `json:"commit,omitempty"`
	CommitID string `json:"commit_id,omitempty"`
	// Peer is the client's address, host:port.
	Peer string `json:"peer,omitempty"`
	// Code is the name of the gRPC status code of the reply, or of what a client
	// sees that got none.
	Code string `json:"code"`
	// Overlap is the number of Sets that were running when the RPC arrived.
	Overlap int `json:"overlap"`
}

// Stats are counters since the start of a target.
type Stats struct {
	// Capabilities, Gets, Sets and Subscribes count the RPCs that arrived.
	Capabilities, Gets, Sets, Subscribes int
	// Refused counts the Sets that Options.Exclusive turned away, and Failed
	// those that ended in another error.
	Refused, Failed int
	// Overlapping counts the Sets that arrived while another one ran.
	Overlapping int
	// PeakSets and PeakRPCs are the largest numbers that ran at one moment.
	PeakSets, PeakRPCs int
}

// maxRecords bounds what a target remembers; older records are forgotten. The
// log that Options.Log gets is complete.
const maxRecords = 100_000

// journal counts RPCs and records them.
type journal struct {
	mu sync.Mutex
	// exclusive refuses a Set while another one runs.
	exclusive     bool
	out           io.Writer
	stats         Stats
	records       []Record
	running, sets int
	// hung are the Sets that will not be carried out while their clients wait, by
	// the contexts that tell when they give up.
	hung map[*call]context.Context
}

// errBusy refuses a second Set on an exclusive target.
var errBusy = status.Error(codes.Aborted, "another Set is running: the configuration is locked")

// call is an RPC between its arrival and its end.
type call struct {
	Record
	// runs tells that a Set counts as running, which a refused one does not.
	runs bool
}

// arrive opens the record of an RPC. The RPC must not be handled when it
// returns an error; denied is such an error that is known already.
func (j *journal) arrive(ctx context.Context, rpc string, req any, denied error) (*call, error) {
	r := &call{Record: Record{Start: time.Now(), RPC: rpc}}
	if client, ok := peer.FromContext(ctx); ok {
		r.Peer = client.Addr.String()
	}
	if set, ok := req.(*gnmi.SetRequest); ok {
		if id := election(set).GetElectionId(); id != nil {
			r.Election = idText(id)
		}
		if c := commitOf(set); c != nil {
			r.Commit, r.CommitID = commitAction(c), c.GetId()
		}
		for _, p := range set.GetDelete() {
			r.Delete = append(r.Delete, joinedText(set.GetPrefix(), p))
		}
		for _, u := range set.GetReplace() {
			r.Replace = append(r.Replace, joinedText(set.GetPrefix(), u.GetPath()))
		}
		for _, u := range set.GetUpdate() {
			r.Update = append(r.Update, joinedText(set.GetPrefix(), u.GetPath()))
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.forsake()
	r.Overlap = j.sets
	j.running++
	j.stats.PeakRPCs = max(j.stats.PeakRPCs, j.running)
	switch rpc {
	case "Capabilities":
		j.stats.Capabilities++
	case "Get":
		j.stats.Gets++
	case "Subscribe":
		j.stats.Subscribes++
	case "Set":
		j.stats.Sets++
		if r.Overlap > 0 {
			j.stats.Overlapping++
		}
		switch {
		case denied != nil:
		case j.exclusive && r.Overlap > 0:
			j.stats.Refused++
			denied = errBusy
		default:
			r.runs = true
			j.sets++
			j.stats.PeakSets = max(j.stats.PeakSets, j.sets)
		}
	}
	return r, denied
}

// hang tells that a call does nothing but wait for ctx: once that has ended, the
// call is over even before it has been able to leave.
func (j *journal) hang(ctx context.Context, r *call) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.hung == nil {
		j.hung = map[*call]context.Context{}
	}
	j.hung[r] = ctx
}

// forsake ends the Sets that hang and whose clients have given up.
func (j *journal) forsake() {
	for r, ctx := range j.hung {
		if ctx.Err() == nil {
			continue
		}
		delete(j.hung, r)
		if r.runs {
			r.runs = false
			j.sets--
		}
	}
}

// leave closes the record of an RPC that ended in err.
func (j *journal) leave(r *call, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	r.End, r.Code = time.Now(), status.Code(err).String()
	j.running--
	delete(j.hung, r)
	if r.runs {
		j.sets--
	}
	if r.RPC == "Set" && err != nil && !errors.Is(err, errBusy) {
		j.stats.Failed++
	}
	if len(j.records) >= maxRecords {
		j.records = slices.Clone(j.records[maxRecords/2:])
	}
	j.records = append(j.records, r.Record)
	if j.out != nil {
		// A log that cannot be written must not stop the device.
		if line, err := json.Marshal(r.Record); err == nil {
			_, _ = j.out.Write(append(line, '\n'))
		}
	}
}

// Stats returns the counters.
func (t *Target) Stats() Stats {
	t.journal.mu.Lock()
	defer t.journal.mu.Unlock()
	return t.journal.stats
}

// Log returns the records of the RPCs that ended, in the order of their ends;
// of very many, the latest. An RPC is recorded before its reply is sent.
func (t *Target) Log() []Record {
	t.journal.mu.Lock()
	defer t.journal.mu.Unlock()
	return slices.Clone(t.journal.records)
}

// ResetLog forgets the records and sets the counters to zero.
func (t *Target) ResetLog() {
	t.journal.mu.Lock()
	defer t.journal.mu.Unlock()
	t.journal.records, t.journal.stats = nil, Stats{}
}
