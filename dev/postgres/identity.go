package postgres

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
)

// nobody is the uid and gid that is used if there is no user named postgres.
const nobody = 65534

// identity is the user that the server runs as.
type identity struct {
	uid, gid int
	// drop: this process is root, and the server changes to uid and gid.
	drop bool
	// namespace: this process is root and cannot drop; the server gets a user namespace where root is an ordinary user.
	namespace bool
}

func (id identity) String() string {
	switch {
	case id.namespace:
		return "root in a user namespace"
	case id.drop:
		return fmt.Sprintf("uid %d", id.uid)
	}
	return "the current user"
}

// command prepares a program to run as id, in a directory and an environment that suit any user.
func (id identity) command(path string, args []string) *exec.Cmd {
	cmd := exec.Command(path, args...)
	cmd.Dir = "/"
	cmd.Env = serverEnv()
	cmd.SysProcAttr = id.attr()
	return cmd
}

// chooseIdentity decides which user the server runs as, see the package's comment.
func chooseIdentity(ctx context.Context, dir layout, binDir string) (identity, error) {
	if os.Geteuid() != 0 {
		return identity{uid: os.Geteuid(), gid: os.Getegid()}, nil
	}
	id := serverUser()
	info, err := os.Stat(dir.pgdata())
	if err == nil {
		// An existing cluster keeps its owner, so that one start by sudo does not lock its user out.
		id.uid, id.gid = fileOwner(info)
	}
	if id.uid != 0 {
		if reaches(id, filepath.Dir(dir.base)) && reaches(id, binDir) {
			return id, nil
		}
		if err == nil {
			return identity{}, fmt.Errorf("the cluster belongs to uid %d, who cannot reach %s or %s; open the directories above them for that user (chmod o+x)",
				id.uid, dir.base, binDir)
		}
	}
	id = identity{namespace: true}
	if out, err := runQuietly(ctx, filepath.Join(binDir, "postgres"), []string{"--version"}, id); err != nil {
		return identity{}, fmt.Errorf("postgres refuses to run as root, no other user can reach %s, and a user namespace cannot be created (%w) %s; "+
			"use a data directory outside root's home, such as /var/lib/turnpike/postgres", dir.base, err, out)
	}
	return id, nil
}

// serverUser is the user named postgres, or nobody if there is none.
func serverUser() identity {
	id := identity{uid: nobody, gid: nobody, drop: true}
	u, err := user.Lookup("postgres")
	if err != nil {
		return id
	}
	uid, uidErr := strconv.Atoi(u.Uid)
	gid, gidErr := strconv.Atoi(u.Gid)
	if uidErr == nil && gidErr == nil && uid != 0 {
		id.uid, id.gid = uid, gid
	}
	return id
}

// reaches reports whether the mode bits allow id to pass through path and every directory above it.
func reaches(id identity, path string) bool {
	for {
		info, err := os.Stat(path)
		if err != nil {
			return false
		}
		uid, gid := fileOwner(info)
		bit := os.FileMode(0o001)
		switch {
		case uid == id.uid:
			bit = 0o100
		case gid == id.gid:
			bit = 0o010
		}
		if info.Mode().Perm()&bit == 0 {
			return false
		}
		parent := filepath.Dir(path)
		if parent == path {
			return true
		}
		path = parent
	}
}
