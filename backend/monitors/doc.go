// Package monitors implements monitors, which check web pages on a schedule and report changes. A sentence becomes a plan
// (package plan), the plan runs repeatedly (package run), and each run produces an event that says whether something changed.
//
// A monitor is a row with a state. Work that takes longer than a request is a task of backend/queue/jobs: provisioning a
// monitor is one, and so is each run. One transaction ends a task and writes its results: the run with its steps, the
// event, the credits charged, and the notifications (backend/queue/outbox). A stream only follows the progress that
// provisioning writes, so a client may disconnect and reconnect, on any replica.
//
//	   created
//	      │
//	provisioning ──── no plan ────→ failed ←── ten runs in a row ─┐
//	      │  ↑                        │                           │
//	      │  └ resume, no plan ─┐     │ pause                     │
//	      ↓                     │     ↓                           │
//	   active ←──── resume ──── paused                            │
//	      │ └─────── pause ───────↑                               │
//	      └───────────────────────────────────────────────────────┘
//	   any but deleted ── delete ──→ deleted
//
// Invariants:
//   - Each statement that changes a state names the state it changes from, so two requests never both make the same change.
//   - A monitor has at most one run in progress. A run ends once, is charged once, and has one event.
//   - The cost of a run is held before it starts, and no more than that is charged. If the credits do not suffice, the
//     run is skipped, with an event, and the next one starts when it is due.
//   - Every change to a monitor's data locks the monitor's row first: before lanes, holds and accounts.
//   - The data kept for a monitor is bounded, but always includes its last run and what the next is compared with.
//   - A monitor belongs to a team. For all other teams it does not exist.
package monitors
