package api_test

import (
	"strings"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
)

// The answers feature can read context files, but only those of the team.
func TestContextFiles(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	const content = `{"berths": 24}`
	f := s.newFile(s.team, "context", content)
	size, err := s.files.ContextSize(t.Context(), s.team, f.ID)
	must(t, err)
	name, got, err := s.files.Context(t.Context(), s.team, f.ID)
	must(t, err)
	if size != int64(len(content)) || name != "a.json" || string(got) != content {
		t.Errorf("got %d bytes of %s, %s, want %s", size, name, got, content)
	}
	refused := func(what, team, id string, code problem.Code, part string) {
		t.Helper()
		_, sizeErr := s.files.ContextSize(t.Context(), team, id)
		_, _, err := s.files.Context(t.Context(), team, id)
		for _, err := range []error{sizeErr, err} {
			if e := problem.From(err); err == nil || e.Code != code || !strings.Contains(e.Detail, part) {
				t.Errorf("%s: got %v, want %s that says %q", what, err, code, part)
			}
		}
	}
	refused("a batch's", s.team, s.newFile(s.team, "batch", `[]`).ID, problem.ValidationError, "purpose context")
	refused("pending", s.team, s.createFile(s.team, `{"filename":"a.json"}`).ID, problem.InvalidState, "not completed")
	refused("another team's", s.newTeam(), f.ID, problem.FileNotFound, "")
	refused("nobody's", "", f.ID, problem.FileNotFound, "")
	refused("no id", s.team, "file_x\x00", problem.FileNotFound, "")
	s.clock.Advance(f.Expires.Add(time.Second).Sub(s.clock.Now()))
	refused("expired", s.team, f.ID, problem.InvalidState, "expired")
}
