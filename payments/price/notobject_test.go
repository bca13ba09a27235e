package price

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/payments/edgewire"
)

// A body that is no object is named as such: the expression's own error says nothing to a client.
func TestBodyThatIsNoObject(t *testing.T) {
	t.Parallel()
	const optional, required = "body.?llm_extract.orValue(null) != null ? 20 : 1", "body.pages"
	for _, tt := range []struct{ expression, body, want string }{
		{optional, `[{"url_to_scrape":"https://example.com/"}]`, "a list"},
		{optional, `{}`, ""},
		{required, `[]`, "a list"},
		{required, `"text"`, "a string"},
		{required, `7`, "a number"},
		{required, `true`, "a boolean"},
		{required, `null`, "null"},
		{required, `{"pages":1}`, ""},
	} {
		body, want := tt.body, tt.want
		p, err := compileExpression(tt.expression)
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.eval(t.Context(), &Request{Method: http.MethodPost, URL: &url.URL{Path: "/"}, Body: edgewire.NewBody([]byte(body))})
		if want == "" {
			if err != nil {
				t.Errorf("%s: got %v", body, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "must be a JSON object, got "+want) {
			t.Errorf("%s: got %v, want it to say %q", body, err, want)
		}
	}
}
