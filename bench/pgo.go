//go:build linux

package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// profiledBinary replaces the binary's path in a profile, so that the repository does not contain local paths.
const profiledBinary = "turnpike"

// writePGO merges the CPU profiles of our binary in dir into one for the compiler (https://go.dev/doc/pgo). Profiles of
// stock Caddy are left out.
func writePGO(ctx context.Context, dir, server, out string) error {
	var files []string
	for _, name := range []string{"gate-removed", "random-keys", "one-hot-key"} {
		found, err := filepath.Glob(filepath.Join(dir, name+"-*-cpu.pprof"))
		if err != nil || len(found) == 0 {
			return fmt.Errorf("no profiles of %s in %s: %w", name, dir, err)
		}
		files = append(files, found...)
	}
	merged := filepath.Join(dir, "merged.pprof")
	cmd := exec.CommandContext(ctx, "go", append([]string{"tool", "pprof", "-proto", "-output", merged}, files...)...)
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("merging profiles: %w\n%s", err, text)
	}
	packed, err := os.Open(merged)
	if err != nil {
		return err
	}
	defer packed.Close()
	profile, err := readGzip(packed)
	if err != nil {
		return fmt.Errorf("%s: %w", merged, err)
	}
	if profile, err = replaceString(profile, server, profiledBinary); err != nil {
		return fmt.Errorf("%s: %w", merged, err)
	}
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is a valid one
	if _, err := w.Write(profile); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(out, b.Bytes(), 0o644) //nolint:gosec // a file of the repository
}

func readGzip(r io.Reader) ([]byte, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// stringTable is the number of the repeated field string_table of a profile (profile.proto), and lengthDelimited is its
// wire type.
const (
	stringTable     = 6
	lengthDelimited = 2
)

// replaceString replaces one string of a profile's table by another. Everything else refers to strings by their index.
func replaceString(profile []byte, from, to string) ([]byte, error) {
	errBroken := errors.New("not a profile")
	var out []byte
	for len(profile) > 0 {
		tag, n := binary.Uvarint(profile)
		if n <= 0 {
			return nil, errBroken
		}
		value, m := binary.Uvarint(profile[n:])
		if m <= 0 {
			return nil, errBroken
		}
		end := n + m
		if tag&7 == lengthDelimited {
			if value > uint64(len(profile)-end) { //nolint:gosec // not negative
				return nil, errBroken
			}
			end += int(value) //nolint:gosec // within the profile
			if tag>>3 == stringTable && string(profile[n+m:end]) == from {
				out = append(out, profile[:n]...)
				out = binary.AppendUvarint(out, uint64(len(to)))
				out = append(out, to...)
				profile = profile[end:]
				continue
			}
		} else if tag&7 != 0 {
			return nil, errBroken // a profile has only varints and length-delimited fields
		}
		out = append(out, profile[:end]...)
		profile = profile[end:]
	}
	return out, nil
}
