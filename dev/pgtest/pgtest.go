package pgtest

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"
)

// setupTimeout bounds starting a server or creating a database, dropTimeout removing one.
const (
	setupTimeout = 2 * time.Minute
	dropTimeout  = time.Minute
)

var shared harness

// URL returns the address of a fresh, empty database. When the test ends, its connections are closed and it is dropped.
func URL(t testing.TB) string {
	t.Helper()
	return create(t, func(ctx context.Context, h *host) (string, error) { return h.create(ctx, "template0") })
}

// New returns the address of a fresh database with the schema that migrate creates, which is dropped when the test ends.
//
// migrate runs once per test process, on a template of which each test gets a copy. Templates are identified by the
// function, so it must do the same every time: pass a top-level function, or use NewKeyed for one that depends on
// captured variables. It must close its connections.
func New(t testing.TB, migrate func(ctx context.Context, url string) error) string {
	t.Helper()
	return NewKeyed(t, runtime.FuncForPC(reflect.ValueOf(migrate).Pointer()).Name(), migrate)
}

// NewKeyed is New with a template identified by key instead of by the function.
func NewKeyed(t testing.TB, key string, migrate func(ctx context.Context, url string) error) string {
	t.Helper()
	return create(t, func(ctx context.Context, h *host) (string, error) {
		template, err := h.template(ctx, key, migrate)
		if err != nil {
			return "", err
		}
		return h.create(ctx, template)
	})
}

func create(t testing.TB, makeFunc func(context.Context, *host) (string, error)) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), setupTimeout)
	defer cancel()
	h, err := shared.get(ctx)
	if err != nil {
		t.Fatalf("preparing the test database server: %v", err)
	}
	name, err := makeFunc(ctx, h)
	if err != nil {
		t.Fatalf("making a test database: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), dropTimeout)
		defer cancel()
		if err := h.drop(ctx, name); err != nil {
			t.Errorf("dropping a test database: %v", err)
		}
	})
	return h.url(name)
}

// ForProcess returns the address of a fresh database with the schema that migrate creates, for all tests of the process,
// so that they can share what is costly to start, such as whole servers. Main drops it.
func ForProcess(ctx context.Context, migrate func(ctx context.Context, url string) error) (string, error) {
	h, err := shared.get(ctx)
	if err != nil {
		return "", fmt.Errorf("preparing the test database server: %w", err)
	}
	name, err := h.create(ctx, "template0")
	if err != nil {
		return "", fmt.Errorf("making a test database: %w", err)
	}
	h.keep(name)
	return h.url(name), migrate(ctx, h.url(name))
}

// Main runs the tests, then the stops in reverse order, then stops the server if the tests started one, and exits.
func Main(m *testing.M, stops ...func()) {
	code := m.Run()
	for _, stop := range slices.Backward(stops) {
		stop()
	}
	ctx, cancel := context.WithTimeout(context.Background(), dropTimeout)
	err := shared.close(ctx)
	cancel()
	if err != nil {
		fmt.Fprintf(os.Stderr, "closing the test database server: %v\n", err)
		code = max(code, 1)
	}
	os.Exit(code)
}
