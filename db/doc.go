// Package db opens and migrates the database and holds the statements that sqlc generates from queries/. It has no
// rules of its own: stores decide what to ask, and each statement is guarded so that it is correct on its own.
package db
