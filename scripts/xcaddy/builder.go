package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// builder has the fields of xcaddy's Builder that its command line supports. A file with another field is an error,
// because ignoring the field would build something else.
type builder struct {
	CaddyVersion string        `json:"caddy_version"`
	Plugins      []dependency  `json:"plugins"`
	Replacements []replacement `json:"replacements"`
	RaceDetector bool          `json:"race_detector"`
	SkipCleanup  bool          `json:"skip_cleanup"`
	SkipBuild    bool          `json:"skip_build"`
	Debug        bool          `json:"debug"`
	BuildFlags   string        `json:"build_flags"`
	ModFlags     string        `json:"mod_flags"`
}

type dependency struct {
	ModulePath string `json:"module_path"`
	Version    string `json:"version"`
}

type replacement struct {
	Old string `json:"old"`
	New string `json:"new"`
}

func read(file string) (builder, error) {
	var b builder
	data, err := os.ReadFile(file)
	if err != nil {
		return b, fmt.Errorf("reading the build: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&b); err != nil {
		return b, fmt.Errorf("%s: %w", file, err)
	}
	return b, b.validate(file)
}

func (b builder) validate(file string) error {
	var faults []error
	if b.CaddyVersion == "" {
		faults = append(faults, fmt.Errorf("%s: caddy_version is missing: without it, xcaddy uses the latest version", file))
	}
	for i, p := range b.Plugins {
		if p.ModulePath == "" {
			faults = append(faults, fmt.Errorf("%s: plugins[%d].module_path is missing", file, i))
		}
	}
	for i, r := range b.Replacements {
		if r.Old == "" || r.New == "" {
			faults = append(faults, fmt.Errorf("%s: replacements[%d] needs both old and new", file, i))
		}
	}
	return errors.Join(faults...)
}

// args returns xcaddy's arguments. A plugin that is replaced is one --with.
func (b builder) args(output string) ([]string, error) {
	replaced := map[string]string{}
	for _, r := range b.Replacements {
		path, err := resolve(r.New)
		if err != nil {
			return nil, err
		}
		replaced[r.Old] = path
	}
	args := []string{"build", b.CaddyVersion, "--output", output}
	for _, p := range b.Plugins {
		with := p.ModulePath
		if p.Version != "" {
			with += "@" + p.Version
		}
		if path, ok := replaced[p.ModulePath]; ok {
			with += "=" + path
			delete(replaced, p.ModulePath)
		}
		args = append(args, "--with", with)
	}
	for _, r := range b.Replacements {
		if path, ok := replaced[r.Old]; ok {
			args = append(args, "--replace", strings.Replace(r.Old, " ", "@", 1)+"="+path)
		}
	}
	return args, nil
}

// resolve makes a local path absolute, since xcaddy builds in another folder; a module path with its version is kept.
func resolve(path string) (string, error) {
	if !strings.HasPrefix(path, ".") {
		return strings.Replace(path, " ", "@", 1), nil
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("resolving %s: %w", path, err)
	}
	return abs, nil
}

// env returns the settings that xcaddy takes only from its environment.
func (b builder) env() []string {
	var env []string
	for _, v := range []struct {
		name, value string
		set         bool
	}{
		{"XCADDY_GO_BUILD_FLAGS", b.BuildFlags, b.BuildFlags != ""},
		{"XCADDY_GO_MOD_FLAGS", b.ModFlags, b.ModFlags != ""},
		{"XCADDY_RACE_DETECTOR", "1", b.RaceDetector},
		{"XCADDY_DEBUG", "1", b.Debug},
		{"XCADDY_SKIP_BUILD", "1", b.SkipBuild},
		{"XCADDY_SKIP_CLEANUP", "1", b.SkipCleanup},
	} {
		if v.set {
			env = append(env, v.name+"="+v.value)
		}
	}
	return env
}
