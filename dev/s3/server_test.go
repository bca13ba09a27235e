package s3_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/turnpike-edge/turnpike/dev/s3"
)

// The server refuses requests without its keys.
func TestServerAsksForKeys(t *testing.T) {
	t.Parallel()
	location, err := url.Parse(s3.NewBucket(t))
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, location.Query().Get("endpoint")+"/"+location.Host, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Timeout: time.Minute}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusForbidden {
		t.Errorf("got status %d, want 403", answer.StatusCode)
	}
}
