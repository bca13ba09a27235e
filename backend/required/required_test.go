package required_test

import (
	"testing"

	"github.com/turnpike-edge/turnpike/backend/required"
)

func TestFields(t *testing.T) {
	t.Parallel()
	type config struct {
		Name  string        `required:"true"`
		Now   func() string `required:"true"`
		Parts []string      `required:"true"`
		Limit int
	}
	err := required.Fields(config{Parts: []string{}})
	if want := "Name is required\nNow is required\nParts is required"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
	if err := required.Fields(config{Name: "a", Now: func() string { return "" }, Parts: []string{"b"}}); err != nil {
		t.Errorf("got %v, want no error", err)
	}
}
