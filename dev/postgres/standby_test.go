//go:build unix

package postgres

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A promoted standby has exactly the data that its primary had until the standby was cut off.
func TestStandbyFollowsUntilItIsCutOff(t *testing.T) {
	t.Parallel()
	primary := start(t, Config{DataDir: dataIn(t)})
	if _, err := os.Stat(filepath.Join(primary.Installation().Dir, "pg_basebackup")); err != nil {
		t.Skipf("these binaries make no standby: %v", err)
	}
	exec1(t, primary.URL("postgres"), `CREATE TABLE toll (n int)`)
	standby := start(t, Config{DataDir: dataIn(t), StandbyOf: primary.URL("postgres")})
	until := func(what, query, want string) {
		t.Helper()
		deadline := time.Now().Add(30 * time.Second)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for query1(t, standby.URL("postgres"), query) != want {
			if time.Now().After(deadline) {
				t.Fatalf("it does not come to this: %s", what)
			}
			<-tick.C
		}
	}
	exec1(t, primary.URL("postgres"), `INSERT INTO toll VALUES (1)`)
	until("the standby has the first row", `SELECT count(*)::text FROM toll`, "1")
	exec1(t, standby.URL("postgres"), `ALTER SYSTEM SET primary_conninfo = ''`)
	exec1(t, standby.URL("postgres"), `SELECT pg_reload_conf()`)
	until("the standby is cut off", `SELECT count(*)::text FROM pg_stat_wal_receiver`, "0")
	exec1(t, primary.URL("postgres"), `INSERT INTO toll VALUES (2)`)
	stop(t, primary)
	exec1(t, standby.URL("postgres"), `SELECT pg_promote()`)
	exec1(t, standby.URL("postgres"), `INSERT INTO toll VALUES (3)`)
	if got := query1(t, standby.URL("postgres"), `SELECT string_agg(n::text, ' ' ORDER BY n) FROM toll`); got != "1 3" {
		t.Errorf("rows of the promoted standby: got %q, want 1 3", got)
	}
	stop(t, standby)
}
