package gnmi

import (
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
)

func TestWhatBecameOfAnRPCIsToldByWhatWasSeenOfIt(t *testing.T) {
	tests := []struct {
		name           string
		left, answered bool
		hint           bool
		code           codes.Code
		want           Outcome
	}{
		{"never left", false, false, false, codes.Unavailable, NotSent},
		{"never left, and the code is one of devices", false, false, false, codes.ResourceExhausted, NotSent},
		{"left, and the connection broke", true, false, false, codes.Unavailable, Ambiguous},
		{"left, and the time ran out", true, false, false, codes.DeadlineExceeded, Ambiguous},
		{"left, and the device says so", true, true, false, codes.Internal, Ambiguous},
		{"left, and the device says when to come again", true, true, true, codes.Unavailable, Refused},
		{"left, and the device refused", true, true, false, codes.InvalidArgument, Refused},
		{"the device refused it on its headers", false, true, false, codes.PermissionDenied, Refused},
		{"the device was busy on its headers", false, true, false, codes.Unavailable, NotSent},
		{"the device was busy on its headers and says when to come again", false, true, true, codes.Unavailable, Refused},
		{"the device failed on its headers", false, true, false, codes.Internal, NotSent},
	}
	for _, tt := range tests {
		s := status.New(tt.code, "")
		if tt.hint {
			var err error
			if s, err = s.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(time.Second)}); err != nil {
				t.Fatal(err)
			}
		}
		seen := &evidence{}
		seen.left.Store(tt.left)
		seen.answered.Store(tt.answered)
		if got := classify(s, seen); got != tt.want {
			t.Errorf("%s: outcome %d, want %d", tt.name, got, tt.want)
		}
	}
}
