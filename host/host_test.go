package host

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestMain also plays the child process of tests: burn says how many of its threads burn CPU and end
// before it waits for its standard input to close.
func TestMain(m *testing.M) {
	if threads, err := strconv.Atoi(os.Getenv("HOST_TEST_BURN")); err == nil {
		burnThenWait(threads)
		return
	}
	os.Exit(m.Run())
}

// burnEachNs is the CPU time that each thread of burnThenWait spends.
const burnEachNs = 30_000_000

func burnThenWait(threads int) {
	done := make(chan struct{})
	for range threads {
		go func() {
			runtime.LockOSThread() // without unlocking: the thread ends with the goroutine
			defer func() { done <- struct{}{} }()
			for start := threadCPUNs(); threadCPUNs()-start < burnEachNs; {
			}
		}()
	}
	for range threads {
		<-done
	}
	fmt.Println("burnt")
	os.Stdin.Read(make([]byte, 1)) // the end of input is the signal
}

func threadCPUNs() int64 {
	var r syscall.Rusage
	const rusageThread = 1
	if err := syscall.Getrusage(rusageThread, &r); err != nil {
		panic(err)
	}
	return r.Utime.Nano() + r.Stime.Nano()
}

// fixture makes a folder tree of files.
func fixture(t *testing.T, files map[string]string) kernel {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if target, isLink := strings.CutPrefix(content, "-> "); isLink {
			if err := os.Symlink(target, path); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return kernel{proc: filepath.Join(root, "proc"), sys: filepath.Join(root, "sys"), etc: filepath.Join(root, "etc")}
}

func TestParseCPUs(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want []int
		bad  bool
	}{
		{"0", []int{0}, false},
		{"0-3,8\n", []int{0, 1, 2, 3, 8}, false},
		{"", nil, false},
		{"3-1", nil, true},
		{"-1", nil, true},
		{"a", nil, true},
		{"0-99999999999", nil, true},
		{"0-65536", nil, true},
	} {
		got, err := parseCPUs(tt.in)
		if !reflect.DeepEqual(got, tt.want) || (err != nil) != tt.bad {
			t.Errorf("parseCPUs(%q) = %v, %v", tt.in, got, err)
		}
	}
}

func FuzzParseCPUs(f *testing.F) {
	for _, s := range []string{"0-3,8", "", "0", "1-", "-", ",,", "9-1", "0-65535"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		cpus, err := parseCPUs(s)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than one line: %v", err)
			}
			return
		}
		again, err := parseCPUs(formatCPUs(sorted(cpus)))
		if err != nil || !slices.Equal(again, sorted(cpus)) {
			t.Errorf("%v read back as %v, %v", sorted(cpus), again, err)
		}
	})
}

func TestPinThread(t *testing.T) {
	allowed := AllowedCPUs()
	if len(allowed) == 0 {
		t.Fatal("no usable CPUs")
	}
	runtime.LockOSThread() // without unlocking: the pinned thread ends with this goroutine
	last := allowed[len(allowed)-1:]
	if err := PinThread(last); err != nil {
		t.Fatal(err)
	}
	if now, err := affinity(); err != nil || !slices.Equal(now, last) {
		t.Errorf("pinned to %v, affinity is %v, %v", last, now, err)
	}
	if !slices.Equal(AllowedCPUs(), allowed) {
		t.Errorf("pinning changed AllowedCPUs to %v", AllowedCPUs())
	}
	for _, bad := range [][]int{nil, {-1}, {allowed[len(allowed)-1] + 1}, {1 << 20}} {
		if err := PinThread(bad); err == nil {
			t.Errorf("PinThread(%v) succeeded", bad)
		}
	}
}

func TestPinProcess(t *testing.T) {
	allowed := AllowedCPUs()
	for _, cpus := range [][]int{allowed[len(allowed)-1:], allowed} { // the second undoes the first
		if err := PinProcess(cpus); err != nil {
			t.Fatal(err)
		}
		threads, err := filepath.Glob("/proc/self/task/*/status")
		if err != nil || len(threads) == 0 {
			t.Fatalf("threads %v, %v", threads, err)
		}
		for _, thread := range threads {
			status := word(thread)
			if got := infoValue(status, "Cpus_allowed_list"); status != "" && got != formatCPUs(cpus) {
				t.Errorf("%s may use %s, want %s", thread, got, formatCPUs(cpus))
			}
		}
	}
	if err := PinProcess(nil); err == nil {
		t.Error("pinned to no CPU")
	}
}

// burner starts a process whose threads have burnt CPU and ended, and which now waits.
func burner(t *testing.T, threads int) (pid int, stop func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "HOST_TEST_BURN="+strconv.Itoa(threads))
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop = func() {
		input.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	if _, err := output.Read(make([]byte, 16)); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid, stop
}

func TestCPUTimeCountsThreadsThatHaveEnded(t *testing.T) {
	const threads = 3
	pid, stop := burner(t, threads)
	ns, err := CPUTime(pid)
	if err != nil {
		t.Fatal(err)
	}
	if ns < threads*burnEachNs {
		t.Errorf("CPU time is %d ns, and ended threads alone spent %d", ns, threads*burnEachNs)
	}
	self := os.Getpid()
	sum, err := TreeCPUTime([]int{pid, self})
	if err != nil || sum <= ns {
		t.Errorf("sum over two processes is %d, %v; one alone has %d", sum, err, ns)
	}
	stop()
	if _, err := CPUTime(pid); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("CPU time of an ended process: %v", err)
	}
	if _, err := TreeCPUTime([]int{self, pid}); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("sum with an ended process: %v", err)
	}
	for _, pid := range []int{0, -1} {
		if _, err := CPUTime(pid); err == nil {
			t.Errorf("CPUTime(%d) succeeded", pid)
		}
	}
}

func TestCPUTimeOfTheCallerAdvancesInNanoseconds(t *testing.T) {
	pid := os.Getpid()
	first, err := CPUTime(pid)
	if err != nil {
		t.Fatal(err)
	}
	fine := false
	for range 1000 {
		now, err := CPUTime(pid)
		if err != nil || now < first {
			t.Fatalf("from %d to %d, %v", first, now, err)
		}
		fine = fine || now > first && now-first < 10_000_000
		first = now
	}
	if !fine {
		t.Error("never advanced by less than 10 ms")
	}
}

func TestLiveProcess(t *testing.T) {
	pid, stop := burner(t, 0)
	peak, err := PeakRSSBytes(pid)
	threads, errThreads := Threads(pid)
	ticks, errTicks := StartTicks(pid)
	if err := errors.Join(err, errThreads, errTicks); err != nil {
		t.Fatal(err)
	}
	if peak < 100<<10 || threads < 1 || ticks == 0 {
		t.Errorf("peak %d, threads %d, start %d", peak, threads, ticks)
	}
	if found := Descendants(os.Getpid()); !slices.Contains(found, pid) || slices.Contains(found, os.Getpid()) {
		t.Errorf("descendants of the test are %v, want %d among them and not itself", found, pid)
	}
	stop()
	for what, err := range map[string]error{
		"peak": second(PeakRSSBytes(pid)), "threads": second(Threads(pid)), "start": second(StartTicks(pid)),
	} {
		if !errors.Is(err, syscall.ESRCH) {
			t.Errorf("%s of an ended process: %v", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestDescendantsInFixture(t *testing.T) {
	stat := func(pid, parent int, name string, state byte, threads int) string {
		return fmt.Sprintf("%d (%s) %c %d 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 %d 0 777 0 0\n", pid, name, state, parent, threads)
	}
	k := fixture(t, map[string]string{
		"proc/1/stat":  stat(1, 0, "init", 'S', 1),
		"proc/10/stat": stat(10, 1, "warden", 'S', 5),
		"proc/11/stat": stat(11, 10, "a) R 1 (b", 'R', 2),
		"proc/12/stat": stat(12, 11, "new\nline", 'S', 1),
		"proc/13/stat": stat(13, 10, "zombie", 'Z', 1),
		"proc/14/stat": stat(14, 10, "first thread ended", 'Z', 3),
		"proc/15/stat": "broken",
		"proc/16/stat": stat(16, 1, "stranger", 'S', 1),
		"proc/self":    "a file that is no process",
	})
	for _, tt := range []struct {
		root int
		want []int
	}{{10, []int{11, 12, 14}}, {11, []int{12}}, {12, nil}, {99, nil}} {
		if got := k.descendants(tt.root); !slices.Equal(got, tt.want) {
			t.Errorf("descendants of %d = %v, want %v", tt.root, got, tt.want)
		}
	}
	if got := (kernel{proc: "missing"}).descendants(1); got != nil {
		t.Errorf("without /proc: %v", got)
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("1 (a) S 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 777 0\n"))
	f.Add([]byte("1 (a) b) S"))
	f.Add([]byte(""))
	f.Fuzz(func(t *testing.T, line []byte) {
		if s, err := parseStat(line); err != nil && s != (procStat{}) {
			t.Errorf("error with a result: %+v", s)
		}
	})
}

func TestListenerOwnersOfRealSockets(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "0.0.0.0:0", "[::]:0"} {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			t.Skipf("%s: %v", address, err)
		}
		port := listener.Addr().(*net.TCPAddr).Port
		self := os.Getpid()
		if owners, foreign, err := ListenerOwners(port, []int{1 << 22, self}); err != nil || !slices.Equal(owners, []int{self}) || foreign != 0 {
			t.Errorf("%s: owners %v, foreign %d, %v", address, owners, foreign, err)
		}
		if owners, foreign, err := ListenerOwners(port, []int{1 << 22}); err != nil || owners != nil || foreign != 1 {
			t.Errorf("%s, asked for another: owners %v, foreign %d, %v", address, owners, foreign, err)
		}
		listener.Close()
		if owners, foreign, err := ListenerOwners(port, []int{self}); err != nil || owners != nil || foreign != 0 {
			t.Errorf("%s, closed: owners %v, foreign %d, %v", address, owners, foreign, err)
		}
	}
}

func TestListenerOwnersInFixture(t *testing.T) {
	const port, hexPort = 8080, "1F90"
	row := func(ip, port, state, inode string) string {
		return "   0: " + ip + ":" + port + " 00000000:0000 " + state + " 00000000:00000000 00:00000000 00000000     0        0 " + inode + " 1 0 100 0\n"
	}
	const heading = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
	k := fixture(t, map[string]string{
		"proc/net/tcp": heading + row(answering[1], hexPort, tcpListen, "100") +
			row(answering[1], "1F91", tcpListen, "101") + // another port
			row(answering[1], hexPort, "01", "102") + // a connection
			row("0200000A", hexPort, tcpListen, "103") + // another address
			"garbage\n",
		"proc/net/tcp6": heading + row(answering[3], hexPort, tcpListen, "104"),
		"proc/7/fd/3":   "-> socket:[100]",
		"proc/7/fd/4":   "-> socket:[100]",
		"proc/7/fd/5":   "-> /dev/null",
		"proc/8/fd/3":   "-> socket:[104]",
		"proc/9/fd/3":   "-> socket:[102]",
	})
	for _, tt := range []struct {
		candidates, owners []int
		foreign            int
	}{{[]int{7, 8, 9}, []int{7, 8}, 0}, {[]int{8}, []int{8}, 1}, {nil, nil, 2}} {
		owners, foreign, err := k.listenerOwners(port, tt.candidates)
		if err != nil || !slices.Equal(owners, tt.owners) || foreign != tt.foreign {
			t.Errorf("among %v: owners %v, foreign %d, %v; want %v, %d", tt.candidates, owners, foreign, err, tt.owners, tt.foreign)
		}
	}
	if _, _, err := (kernel{proc: "missing"}).listenerOwners(port, nil); err == nil {
		t.Error("without /proc: no error")
	}
}

func FuzzListeners(f *testing.F) {
	f.Add([]byte("   0: 0100007F:1F90 00000000:0000 0A 0:0 0:0 0 0 0 100 1\n"), 8080)
	f.Add([]byte("a\n\n:"), 0)
	f.Fuzz(func(_ *testing.T, table []byte, port int) { listeners(table, port) })
}
