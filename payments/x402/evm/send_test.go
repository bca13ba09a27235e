package evm

import (
	"errors"
	"testing"

	"github.com/turnpike-edge/turnpike/dev/x402test"
)

func TestReadReply(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Reply{
		"already known":                                            ReplySent,
		"ALREADY_EXISTS: already known":                            ReplySent,
		"nonce too low: next nonce 5, tx nonce 4":                  ReplyUsed,
		"nonce has already been used":                              ReplyUsed,
		"replacement transaction underpriced":                      ReplyUnderpriced,
		"transaction underpriced: gas tip cap 0, minimum needed 1": ReplyUnderpriced,
		"max fee per gas less than block base fee":                 ReplyUnderpriced,
		"insufficient funds for gas * price + value":               ReplyFailed,
		"txpool is full":                                           ReplyFailed,
	} {
		if got := ReadReply(x402test.NodeRefusal(text)); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
	if got := ReadReply(errors.New("read: nonce too low")); got != ReplyFailed {
		t.Errorf("no answer of the node: got %d, want %d", got, ReplyFailed)
	}
}
