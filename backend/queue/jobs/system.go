package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
)

// systemSlots is how many system jobs run at once in a process, systemTimeout how long one may take.
const (
	systemSlots   = 8
	systemTimeout = 10 * time.Minute
)

// Periodic is a system job that runs repeatedly, in one process at a time. It does not run at the start, and missed
// runs are not made up for.
type Periodic struct {
	Every time.Duration
	Job   river.JobArgs
}

func periodicJobs(periodic []Periodic) []*river.PeriodicJob {
	jobs := make([]*river.PeriodicJob, len(periodic))
	for i, p := range periodic {
		// A failed sweep is not retried: the next one does its work.
		due := func() (river.JobArgs, *river.InsertOpts) { return p.Job, &river.InsertOpts{MaxAttempts: 1} }
		jobs[i] = river.NewPeriodicJob(river.PeriodicInterval(p.Every), due, nil)
	}
	return jobs
}

// InsertTx adds a system job in the transaction that promises it. opts may be nil; ScheduledAt delays the job.
func (j *Jobs) InsertTx(ctx context.Context, tx pgx.Tx, args river.JobArgs, opts *river.InsertOpts) error {
	if _, err := j.client.InsertTx(ctx, tx, args, opts); err != nil {
		return fmt.Errorf("adding a job %s: %w", args.Kind(), err)
	}
	return nil
}

// AddWorker sets the function for the system jobs of one kind. Call it before Start, in every process that has queues.
// After an error River retries the job with growing delays.
func AddWorker[T river.JobArgs](j *Jobs, work func(context.Context, T) error) {
	river.AddWorker(j.workers, river.WorkFunc(func(ctx context.Context, job *river.Job[T]) error { return work(ctx, job.Args) }))
}
