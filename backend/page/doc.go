// Package page holds what scrapes, batches and crawls say to each other of one web page: how it is wanted, the job of
// coming by it, and what was kept of it.
//
// The idea is that a page is the same thing whoever asks for it: the fields by which callers describe it have one type
// each, and so the same JSON, schema and rules everywhere. What the fields mean, and which go together, says
// scrapes.Engine, which is also who does the work.
//
// It is data, but for the one question that a job asks back, and imports nothing of ours but backend/problem.
package page
