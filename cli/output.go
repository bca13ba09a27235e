package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// record is a downloaded page: a line of JSONL, a row of Parquet, or a line of a folder's index.
type record struct {
	ID         string            `json:"id" parquet:"id"`
	URL        string            `json:"url" parquet:"url"`
	CustomID   string            `json:"custom_id,omitempty" parquet:"custom_id,optional"`
	Title      string            `json:"title,omitempty" parquet:"title,optional"`
	StatusCode int               `json:"status_code,omitempty" parquet:"status_code,optional"`
	Depth      int               `json:"depth,omitempty" parquet:"depth,optional"`
	Error      string            `json:"error,omitempty" parquet:"error,optional"`
	Markdown   string            `json:"markdown,omitempty" parquet:"markdown,optional,zstd"`
	Text       string            `json:"text,omitempty" parquet:"text,optional,zstd"`
	HTML       string            `json:"html,omitempty" parquet:"html,optional,zstd"`
	JSON       string            `json:"json,omitempty" parquet:"json,optional,zstd"` // as the parser made it
	Screenshot string            `json:"screenshot_url,omitempty" parquet:"screenshot_url,optional"`
	PDF        string            `json:"pdf_url,omitempty" parquet:"pdf_url,optional"`
	Files      map[string]string `json:"files,omitempty" parquet:"-"` // by format, in a folder

	warc []byte
}

// The forms of a download.
const (
	toStdout  = "standard output"
	toFolder  = "a folder"
	toJSONL   = "JSONL"
	toParquet = "Parquet"
	toWARC    = "WARC"
)

const lineMax = 256 << 20 // bytes, of a page with all its formats

func isWARC(path string) bool { return regexp.MustCompile(`\.warc(\.gz)?$`).MatchString(path) }

// formOf returns the form of a download from its name.
func formOf(path string) (string, error) {
	switch extension := filepath.Ext(path); {
	case path == "":
		return toStdout, nil
	case isWARC(path):
		return toWARC, nil
	case extension == ".jsonl" || extension == ".ndjson":
		return toJSONL, nil
	case extension == ".parquet":
		return toParquet, nil
	case strings.HasSuffix(path, string(filepath.Separator)), strings.HasSuffix(path, "/"), extension == "":
		return toFolder, nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return toFolder, nil
	}
	return "", fmt.Errorf("%w: --output %s: want a folder, or a file that ends in .jsonl, .parquet or .warc.gz", errUsage, path)
}

// output is a download that can be interrupted at any time. What has been downloaded is in a file that only grows, the
// part. After each page a line is added to the journal: its id, and where the part ended. So a page that is not in the
// journal is cut off the part, and downloaded again.
type output struct {
	form    string
	path    string
	print   *printer // for standard output
	printed int
	part    *os.File
	end     int64
	journal *os.File
	started started
	done    map[string]bool
	names   map[string]bool // of the files in a folder
}

// started is the journal's account of the job.
type started struct {
	Server   string          `json:"server"`
	Kind     string          `json:"kind"`
	Argument string          `json:"argument"`
	Request  json.RawMessage `json:"request"`
	Key      string          `json:"idempotency_key,omitempty"`
	ID       string          `json:"job,omitempty"`
}

func (s started) same(other started) bool {
	return s.Server == other.Server && s.Kind == other.Kind && s.Argument == other.Argument && bytes.Equal(s.Request, other.Request)
}

// step is a line of the journal: a page, or what is known of the job.
type step struct {
	Page    string   `json:"page,omitempty"`
	End     int64    `json:"end,omitempty"`
	Started *started `json:"started,omitempty"`
}

// openOutput opens a download, new or interrupted.
func (s *session) openOutput(path string, kind *jobs, argument string) (*output, error) {
	body, err := json.Marshal(kind.body)
	if err != nil {
		return nil, err
	}
	o := &output{path: path, done: map[string]bool{}, names: map[string]bool{}}
	o.started = started{Server: s.url, Kind: kind.kind, Argument: argument, Request: body}
	if strings.HasPrefix(argument, kind.kind+"_") {
		o.started.ID, o.started.Request = argument, json.RawMessage("null")
	}
	if o.form, err = formOf(path); err != nil {
		return nil, err
	}
	if o.form == toStdout {
		o.print, err = newPrinter(s.cmd, s.cmd.OutOrStdout())
		return o, err
	}
	if o.form == toFolder {
		if err := os.MkdirAll(path, 0o755); err != nil { //nolint:gosec // the user's own folder
			return nil, err
		}
	}
	if !exists(o.journalName()) || !exists(o.partName()) && o.form != toParquet { // the journal is removed last
		if exists(o.target()) {
			_ = os.Remove(o.journalName())
			return nil, fmt.Errorf("%w: %s exists already: remove it, or choose another --output", errUsage, o.target())
		}
	}
	if err := o.resume(); err != nil {
		return nil, errors.Join(err, o.close())
	}
	return o, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// target is the file that exists when the download is complete.
func (o *output) target() string {
	if o.form == toFolder {
		return filepath.Join(o.path, "index.jsonl")
	}
	return o.path
}

func (o *output) partName() string    { return o.target() + ".part" }
func (o *output) journalName() string { return o.target() + ".journal" }

// resume reads the journal of an interrupted download, and cuts off what is not in it.
func (o *output) resume() error {
	var err error
	if o.journal, err = os.OpenFile(o.journalName(), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return err
	}
	read := bufio.NewReader(o.journal)
	good := int64(0)
	for {
		line, err := read.ReadBytes('\n')
		var st step
		if err != nil || json.Unmarshal(line, &st) != nil {
			break // the end, or a line that was being written
		}
		good += int64(len(line))
		if st.Started == nil {
			o.done[st.Page], o.end = true, st.End
			continue
		}
		if !st.Started.same(o.started) {
			return fmt.Errorf("%w: %s is the unfinished download of another command (%s %s): finish or remove %s first, or choose another --output",
				errUsage, o.path, st.Started.Kind, st.Started.Argument, o.journalName())
		}
		o.started = *st.Started
	}
	if o.part, err = os.OpenFile(o.partName(), os.O_RDWR|os.O_CREATE, 0o644); err != nil { //nolint:gosec // the user's own file
		return err
	}
	info, err := o.part.Stat()
	if err == nil && info.Size() < o.end {
		return fmt.Errorf("%s is shorter than its journal says: remove both to begin again", o.partName())
	}
	for file, end := range map[*os.File]int64{o.journal: good, o.part: o.end} {
		if err == nil {
			err = file.Truncate(end)
		}
		if err == nil {
			_, err = file.Seek(end, io.SeekStart)
		}
	}
	if err == nil && good == 0 && o.started.ID != "" {
		err = o.note(o.started)
	}
	if err == nil && o.form == toFolder {
		err = o.each(func(r *record) error {
			for _, name := range r.Files {
				o.names[name] = true
			}
			return nil
		})
	}
	return err
}

// note writes what is known of the job.
func (o *output) note(s started) error {
	o.started = s
	return o.write(step{Started: &s})
}

func (o *output) write(st step) error {
	if o.journal == nil {
		return nil
	}
	line, err := json.Marshal(st)
	if err != nil {
		return err
	}
	_, err = o.journal.Write(append(line, '\n'))
	return err
}

// put adds a page.
func (o *output) put(r *record) error {
	if o.form == toStdout {
		o.printed++
		return o.print.print(r, func() string {
			return fmt.Sprintf("<!-- %s -->\n\n%s", r.URL, first(r.Markdown, r.Text, r.HTML, r.JSON, r.Error))
		})
	}
	if o.form == toFolder {
		if err := o.putFiles(r); err != nil {
			return err
		}
	}
	content := r.warc
	if o.form != toWARC {
		var line bytes.Buffer
		encode := json.NewEncoder(&line)
		encode.SetEscapeHTML(false)
		if err := encode.Encode(r); err != nil {
			return err
		}
		content = line.Bytes()
	}
	if _, err := o.part.Write(content); err != nil {
		return err
	}
	o.end += int64(len(content))
	o.done[r.ID] = true
	return o.write(step{Page: r.ID, End: o.end})
}

var unsafe = regexp.MustCompile(`[^A-Za-z0-9._~-]+`)

// putFiles writes a page's content into files that are named after its URL, and leaves their names in the record.
func (o *output) putFiles(r *record) error {
	base := "page"
	if u, err := url.Parse(r.URL); err == nil {
		base = unsafe.ReplaceAllString(u.Host, "_")
		path := strings.Trim(u.Path, "/")
		if u.RawQuery != "" {
			path += "_" + u.RawQuery
		}
		for segment := range strings.SplitSeq(orElse(path, "index"), "/") {
			segment = strings.TrimLeft(unsafe.ReplaceAllString(segment, "_"), ".") // no way up, nothing hidden
			base += "/" + orElse(segment[:min(len(segment), nameMax)], "_")
		}
	}
	r.Files = map[string]string{}
	for _, part := range []struct {
		format, extension string
		content           *string
	}{{"markdown", ".md", &r.Markdown}, {"text", ".txt", &r.Text}, {"html", ".html", &r.HTML}, {"json", ".json", &r.JSON}} {
		if *part.content == "" {
			continue
		}
		name := base + part.extension
		if o.names[strings.ToLower(name)] { // some file systems ignore the case
			name = base + "-" + unsafe.ReplaceAllString(r.ID, "_") + part.extension
		}
		o.names[strings.ToLower(name)] = true
		path := filepath.Join(o.path, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // the user's own folder
			return err
		}
		if err := replaceFile(path, []byte(*part.content)); err != nil {
			return err
		}
		r.Files[part.format], *part.content = name, ""
	}
	return nil
}

const nameMax = 100 // bytes of a segment of a file's name

// each calls see for the records in the part.
func (o *output) each(see func(*record) error) error {
	if _, err := o.part.Seek(0, io.SeekStart); err != nil {
		return err
	}
	lines := json.NewDecoder(o.part)
	for {
		var r record
		if err := lines.Decode(&r); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("%s: %w", o.partName(), err)
		}
		if err := see(&r); err != nil {
			return err
		}
	}
	_, err := o.part.Seek(o.end, io.SeekStart)
	return err
}

// finish gives a complete download its name.
func (o *output) finish() error {
	if o.form == toStdout {
		return nil
	}
	if o.form == toParquet {
		if err := o.toParquet(); err != nil {
			return fmt.Errorf("writing %s: %w", o.path, err)
		}
	}
	if err := errors.Join(o.part.Sync(), o.close()); err != nil {
		return err
	}
	if o.form == toParquet {
		if err := errors.Join(os.Rename(o.path+".new", o.path), os.Remove(o.partName())); err != nil {
			return err
		}
	} else if err := os.Rename(o.partName(), o.target()); err != nil {
		return err
	}
	return os.Remove(o.journalName())
}

const rowsPerGroup = 1000 // of Parquet, which are in memory at once

// toParquet writes the lines of the part as Parquet. A Parquet file cannot grow, so it is made at the end.
func (o *output) toParquet() error {
	file, err := os.Create(o.path + ".new")
	if err != nil {
		return err
	}
	rows := parquet.NewGenericWriter[record](file)
	n := 0
	err = o.each(func(r *record) error {
		if _, err := rows.Write([]record{*r}); err != nil {
			return err
		}
		if n++; n%rowsPerGroup == 0 {
			return rows.Flush()
		}
		return nil
	})
	return errors.Join(err, rows.Close(), file.Sync(), file.Close())
}

// forget removes the traces of a download that did not begin.
func (o *output) forget() error {
	if o.form == toStdout || len(o.done) > 0 {
		return nil
	}
	return errors.Join(o.close(), os.Remove(o.partName()), os.Remove(o.journalName()))
}

// close closes the files. It may be called again.
func (o *output) close() error {
	var errs []error
	for _, file := range []**os.File{&o.part, &o.journal} {
		if *file != nil {
			errs = append(errs, (*file).Close())
			*file = nil
		}
	}
	return errors.Join(errs...)
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
