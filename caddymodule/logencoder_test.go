package caddymodule

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

func lazyEncoder(t testing.TB, config string) (*LazyEncoder, error) {
	t.Helper()
	e := new(LazyEncoder)
	if err := e.UnmarshalCaddyfile(caddyfile.NewTestDispenser(config)); err != nil {
		return nil, err
	}
	ctx, cancel := caddy.NewContext(caddy.Context{Context: t.Context()})
	t.Cleanup(cancel)
	return e, e.Provision(ctx)
}

// logs writes the same entries, through all kinds of prepared loggers.
func logs(encoder zapcore.Encoder) string {
	var out strings.Builder
	l := zap.New(zapcore.NewCore(encoder, zapcore.AddSync(&out), zapcore.InfoLevel))
	l.Info("plain", zap.Int("n", 1))
	with := l.With(zap.String("s", "text"), zap.Bool("b", true), zap.Duration("d", time.Second), zap.Uint8("u8", 8),
		zap.Float64("f", 1.5), zap.Binary("bin", []byte{1, 2}), zap.ByteString("bytes", []byte("x")), zap.Complex128("c", 1+2i),
		zap.Time("t", time.Unix(1, 0).UTC()), zap.Strings("list", []string{"a", "b"}), zap.Error(errors.New("wrong")),
		zap.Any("map", map[string]int{"k": 1}), zap.Int64("i64", -1), zap.Uintptr("ptr", 3))
	with.Info("with", zap.Int("n", 2))
	with.Debug("not written")
	left, right := with.With(zap.String("side", "left")), with.With(zap.String("side", "right"))
	left.Info("left")
	right.Info("right")
	left.With(zap.Namespace("in"), zap.Object("o", zapcore.ObjectMarshalerFunc(func(enc zapcore.ObjectEncoder) error {
		enc.AddString("deep", "down")
		return nil
	}))).Info("namespace", zap.Int("n", 3))
	return out.String()
}

func withoutTime(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if from, to := strings.Index(line, `"ts":`), strings.Index(line, `,"msg"`); from >= 0 && to > from {
			lines[i] = line[:from] + line[to+1:]
		}
	}
	return strings.Join(lines, "\n")
}

// The output is the same as that of the wrapped format.
func TestLazyEncoderWritesTheSame(t *testing.T) {
	t.Parallel()
	e, err := lazyEncoder(t, "lazy")
	if err != nil {
		t.Fatal(err)
	}
	want, got := withoutTime(logs(e.wrapped.Clone())), withoutTime(logs(e))
	if got != want || strings.Count(got, "\n") != 5 {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestLazyEncoderEncodesNothingUnasked(t *testing.T) {
	t.Parallel()
	e, err := lazyEncoder(t, "lazy {\nwrap json\n}")
	if err != nil {
		t.Fatal(err)
	}
	encoded := 0
	object := zapcore.ObjectMarshalerFunc(func(zapcore.ObjectEncoder) error {
		encoded++
		return nil
	})
	var out strings.Builder
	l := zap.New(zapcore.NewCore(e, zapcore.AddSync(&out), zapcore.InfoLevel)).With(zap.Object("request", object))
	l.Debug("not written")
	if encoded != 0 {
		t.Errorf("encoded %d times for nothing", encoded)
	}
	if l.Info("written"); encoded != 1 || !strings.Contains(out.String(), `"request":{}`) {
		t.Errorf("encoded %d times, want once: %s", encoded, out.String())
	}
}

func TestLazyEncoderCaddyfile(t *testing.T) {
	t.Parallel()
	for config, want := range map[string]string{
		"lazy json":                       "wrong argument count",
		"lazy {\nwrap\n}":                 "wrong argument count",
		"lazy {\nwrap nonsense\n}":        "nonsense",
		"lazy {\nwrap json\nwrap json\n}": "wrap appears more than once",
		"lazy {\nwhat\n}":                 "unrecognized subdirective 'what'",
	} {
		if _, err := lazyEncoder(t, config); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want an error that says %q", config, err, want)
		}
	}
}
