package s3

import (
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
)

var setenv = sync.OnceValue(func() error {
	var errs []error
	for _, entry := range Env() {
		name, value, _ := strings.Cut(entry, "=")
		errs = append(errs, os.Setenv(name, value))
	}
	return errors.Join(errs...)
})

// NewBucket returns the URL of an empty bucket on the test's own server, and sets the keys in this process's environment.
// The test is skipped if the server is not installed.
func NewBucket(t testing.TB) string {
	t.Helper()
	if err := setenv(); err != nil {
		t.Fatal(err)
	}
	server, err := Start(t.Context(), t.TempDir())
	if errors.Is(err, ErrNotInstalled) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	url, err := server.Bucket("bucket")
	if err != nil {
		t.Fatal(err)
	}
	return url
}
