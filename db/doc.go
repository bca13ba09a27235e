// Package db opens and migrates the database and holds the statements that
// sqlc generates from queries/. It has no rules of its own: stores decide what
// to ask, and the statements are guarded so that each is right on its own.
//
// It imports no package of ours.
package db
