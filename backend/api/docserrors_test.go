package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/api/problem"
)

// The page that an error's type links to says when the error occurs and what to do.
func TestErrorPagesSayWhatToDo(t *testing.T) {
	t.Parallel()
	s := setup(t, options{})
	for _, code := range problem.Codes() {
		w := s.do(call{method: "GET", uri: "/docs/api-reference/errors/" + code.Kind().Slug})
		wantStatus(t, w, http.StatusOK)
		_, main, _ := strings.Cut(w.Body.String(), "<main>")
		rows := strings.Count(main, fmt.Sprintf("<tr><td>%d</td>", code.Kind().Status))
		if rows == 0 || rows != strings.Count(main, "<tr><td>") || !strings.Contains(main, "<code>"+string(code)+"</code>") {
			t.Errorf("%s: got %d rows of its status in %s", code, rows, main)
		}
		if strings.Contains(main, "](") || strings.Contains(main, "`") {
			t.Errorf("%s: got markdown in %s", code, main)
		}
	}
}
