package jobs

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// jobKind is the kind of these jobs in River.
const jobKind = "task"

// jobArgs is the args of a River job: tasks of one lane, to be done one after another, with the tokens of their promotion.
type jobArgs struct {
	tasks    []Task
	leaseEnd time.Time
}

// Kind implements river.JobArgs.
func (jobArgs) Kind() string { return jobKind }

// argsText is the single JSON field of the args. River indexes every field of every job, and writes that index each
// time the job changes. The text is "queue lane team lease" and, for each task, ";group n attempt takeovers token
// created stalled". Names are escaped as in a URL path, a group that repeats the one before is omitted, and times are
// Unix milliseconds. 0 means not stalled.
type argsText struct {
	Text string `json:"t"`
}

const (
	argsHeadFields = 4
	argsTaskFields = 7
)

// MarshalJSON implements json.Marshaler. The text needs no JSON escapes.
func (t jobArgs) MarshalJSON() ([]byte, error) {
	if len(t.tasks) == 0 {
		return nil, errors.New("job args without tasks")
	}
	first := &t.tasks[0]
	b := append(make([]byte, 0, 128+96*len(t.tasks)), `{"t":"`...)
	b = append(b, url.PathEscape(first.Queue)+" "+url.PathEscape(first.Lane)+" "+url.PathEscape(first.TeamID)+" "...)
	b = strconv.AppendInt(b, unixMilli(t.leaseEnd), 10)
	group := ""
	for i := range t.tasks {
		task := &t.tasks[i]
		b = append(b, ';')
		if task.Group != group {
			group = task.Group
			b = append(b, url.PathEscape(group)...)
		}
		for _, n := range [...]int32{task.N, task.Attempt, task.Takeovers} {
			b = strconv.AppendInt(append(b, ' '), int64(n), 10)
		}
		b = append(b, ' ')
		b = hex.AppendEncode(b, task.token[:])
		b = strconv.AppendInt(append(b, ' '), unixMilli(task.CreatedAt), 10)
		b = strconv.AppendInt(append(b, ' '), unixMilli(task.stalledAt), 10)
	}
	return append(b, `"}`...), nil
}

func unixMilli(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *jobArgs) UnmarshalJSON(data []byte) error {
	var text argsText
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	head, rest, _ := strings.Cut(text.Text, ";")
	f := argsFields{fields: strings.Split(head, " ")}
	f.want(argsHeadFields)
	of := Task{Queue: f.name(), Lane: f.name(), TeamID: f.name()}
	leaseEnd := f.time()
	var tasks []Task
	for part := range strings.SplitSeq(rest, ";") {
		f.fields = strings.Split(part, " ")
		f.want(argsTaskFields)
		if of.Group = cmp.Or(f.name(), of.Group); of.Group == "" {
			f.fault(errors.New("a task without a group"))
		}
		of.N, of.Attempt, of.Takeovers = f.number(), f.number(), f.number()
		of.token, of.CreatedAt, of.stalledAt = f.token(), f.time(), f.time()
		tasks = append(tasks, of)
	}
	if f.err != nil {
		return fmt.Errorf("reading job args: %w", f.err)
	}
	*t = jobArgs{tasks, leaseEnd}
	return nil
}

// argsFields reads fields in order, and keeps the first error.
type argsFields struct {
	fields []string
	err    error
}

func (f *argsFields) want(n int) {
	if len(f.fields) != n && f.err == nil {
		f.err = fmt.Errorf("got %d fields, want %d", len(f.fields), n)
	}
}

func (f *argsFields) fault(err error) {
	if f.err == nil {
		f.err = err
	}
}

func (f *argsFields) next() string {
	if f.err != nil {
		return ""
	}
	next := f.fields[0]
	f.fields = f.fields[1:]
	return next
}

func (f *argsFields) name() string {
	name, err := url.PathUnescape(f.next())
	f.fault(err)
	return name
}

func (f *argsFields) number() int32 {
	n, err := strconv.ParseInt(f.next(), 10, 32)
	f.fault(err)
	return int32(n)
}

// time returns the zero time for 0.
func (f *argsFields) time() time.Time {
	ms, err := strconv.ParseInt(f.next(), 10, 64)
	f.fault(err)
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

func (f *argsFields) token() (token uuid.UUID) {
	text, err := hex.DecodeString(f.next())
	f.fault(err)
	if len(text) != len(token) {
		f.fault(fmt.Errorf("got a token of %d bytes, want %d", len(text), len(token)))
	}
	copy(token[:], text)
	return token
}
