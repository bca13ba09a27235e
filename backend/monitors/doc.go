// Package monitors watches the web for teams: a sentence becomes a plan (package plan), the plan is carried out again and
// again (package run), and each time there is an event that says whether something changed.
//
// The idea is that a monitor is a row with a state, and that whatever takes longer than a request is a task of backend/jobs:
// the provisioning of a monitor is one, and each of its runs is one. What a task finds is written in the transaction that
// ends it: the run with its steps, the event, the credits that it did cost, and what others are to be told (backend/outbox).
// A stream only follows what provisioning writes of itself, so it may come, leave and come back, wherever the work is done.
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
//   - A state is changed by a statement that says from which: two requests never both change what one may.
//   - A monitor has one run under way at most. A run is ended once, charged once, and has one event.
//   - What a run costs is held before it begins and never more than that is taken. Where the credits do not suffice the run
//     is skipped, with an event, and the next one comes when it is due.
//   - Whoever changes what is known of a monitor locks its row first: before lanes, holds and accounts.
//   - What is kept of a monitor is bounded, however long it runs. Its last run stays, and what the next is held against.
//   - A monitor is its team's: to all others it does not exist.
//
// It imports backend/monitors/plan and run, backend/blob, caller, compare, frequency, glob, jobs, jsonschema, metadata, outbox,
// paging and problem, db, and payments/credits, money and token.
package monitors
