# SPDX-License-Identifier: GPL-2.0
# Every target sets up what it needs; a second run finds it there.

export PYTHONPYCACHEPREFIX := $(CURDIR)/.cache/pycache
PYTHON := .cache/venv/bin/python
LAB := PYTHONPATH=lab $(PYTHON) -m pghotlab
# The kernel that the lab boots and builds the module for: a series of lab/kernels.toml. What is
# built for another one than the default, and made with it, is in a folder of its own name.
DEFAULT_KERNEL := $(shell sed -n 's/^default = "\(.*\)"/\1/p' lab/kernels.toml)
KERNEL ?= $(DEFAULT_KERNEL)
# The patches are for the newest kernel in any case, and their letter has the default's results.
ifneq ($(filter series%,$(MAKECMDGOALS)),)
override KERNEL := $(DEFAULT_KERNEL)
endif
ifeq ($(KERNEL),$(DEFAULT_KERNEL))
OUT := build
HEADERS := .cache/kernel/headers
else
OUT := build/$(KERNEL)
HEADERS := .cache/kernels/$(KERNEL)/headers
SUFFIX := -$(KERNEL)
export PGHOT_KERNEL := $(KERNEL)
endif
# Programs for guests are made by this compiler, and are in this folder of build/.
ifneq ($(filter %-arm64,$(KERNEL)),)
GUEST_CC := aarch64-linux-gnu-gcc
GUEST := guest-arm64
else
GUEST_CC := gcc
GUEST := guest
endif
# The kernel an operator builds the module for.
KDIR ?= /lib/modules/$(shell uname -r)/build
# Where `make install` puts commands.
PREFIX ?= /usr/local

.PHONY: help demo try bench league report test debug-test race-test fuzz fuzz-targets soak debug-soak \
	explore bench-core bench-costs bench-detection bench-reads bench-throttle bench-adversary \
	bench-cpus bench-scale check docs calibrate series series-check series-bench module install \
	uninstall deb test-packages test-secure-boot setup \
	plugin guest lab-module sparse vm-tests debug-vm-tests lab clean distclean

help:
	@echo 'make demo       run the main benchmark over all policies, print the table'
	@echo '                (DEMO="--machine three-node --seeds 1 2 3": see $(LAB) demo --help)'
	@echo 'make try        run a program of yours on a tiered machine, under several policies'
	@echo '                (PROG="./job 64" TRY="--fast 25% --machine two-node": docs/try.md)'
	@echo 'make bench      run what the tables of lab/tables compare, or some: TABLE="sources hmu";'
	@echo '                what was run before is kept (BENCH="--seeds 1 --cases 4k")'
	@echo 'make league     does a change to pghot pay: some cases of the tables with one seed, in at'
	@echo '                most 40 minutes on 2 cores; what was run before is kept, too'
	@echo '                (LEAGUE="--cases overcommit micro/4k"; for a release: "--all --keep")'
	@echo 'make report     the kept tables and their plots as pages for a browser: build/report'
	@echo 'make test       all tests: style, unit, calibration, in the guest'
	@echo 'make debug-test the tests in the guest again, on a kernel with KASAN, lockdep and'
	@echo '                kmemleak; builds that kernel, which takes long the first time'
	@echo '                (DEBUG_TEST="tests/vm/test_load.py": options for pytest)'
	@echo 'make race-test  the same on a kernel with KCSAN, which finds data races'
	@echo '                (RACE_TEST="tests/vm/test_load.py": options for pytest)'
	@echo 'make fuzz       hand arbitrary lists, registers, types and texts to files of the module;'
	@echo '                what finds a new way through the code is kept in build/fuzz/corpus'
	@echo '                (SECONDS=240 for each target, TARGET=chmu_unit: only this one)'
	@echo 'make soak       everything that can happen to pghot, side by side, drawn from a seed'
	@echo '                (MINUTES=10 SEED=1; a new seed without); make debug-soak: the same on'
	@echo '                the kernel of debug-test'
	@echo 'make explore    all interleavings of the lock-free parts; make test runs the short ones'
	@echo 'make check      style checks only'
	@echo 'make docs       the documentation as pages for a browser: build/docs/html'
	@echo 'make calibrate  check all modelled machines against their files, and keep the figures'
	@echo 'make bench-core  what records cost for 1 TB and 4 TB of slow memory: time and bytes'
	@echo 'make bench-costs  what pghot costs in guest instructions (after make demo)'
	@echo 'make bench-detection  what finding hot pages costs (after make bench TABLE=sources)'
	@echo 'make bench-reads  what the page cache source costs a read in guest instructions'
	@echo 'make bench-throttle  is the promotion rate limit held, does the threshold converge'
	@echo 'make bench-adversary  what a program that has much promoted takes from another one'
	@echo 'make bench-cpus  what promotion costs the CPUs of a process, and itself'
	@echo 'make bench-scale  what large machines do to pghot, by count and by simulation'
	@echo '                (SCALE="lines scans": only some of its tables)'
	@echo 'make series     pghot as patches for the newest kernel, see docs/series.md: build/series'
	@echo 'make series-check  check, build and boot each of these patches, see docs/series.md; builds'
	@echo '                a kernel, which takes long the first time'
	@echo 'make series-bench  the kernel with all these patches against the module on the same'
	@echo '                kernel without them, in time of the modelled machine (SEEDS="1 2 3")'
	@echo 'make module     build pghot.ko for the running kernel (or KDIR=...)'
	@echo 'make install    install that module, and the command (as root)'
	@echo 'make uninstall  remove what that has installed (as root)'
	@echo 'make deb        Debian packages of the module (by DKMS) and of the command: build/deb'
	@echo 'make test-packages  install, boot, upgrade and remove them in a Debian 13 guest'
	@echo 'make test-secure-boot  the same packages where firmware has Secure Boot on, with a new key'
	@echo 'make setup      only fetch and install what the above need'
	@echo 'make plugin     build the QEMU plugin'
	@echo 'make guest      build the guest programs'
	@echo 'KERNEL=7.3      with any of these: for another kernel of lab/kernels.toml; its results are'
	@echo '                in build/7.3'
	@echo 'make clean      remove what was built; make distclean: the downloads too'

demo: lab
	$(LAB) demo $(DEMO)

# A program of the user's own, PROG with its arguments; TRY: options of `$(LAB) try`.
try: lab
	$(LAB) try $(TRY) -- $(PROG)

# TABLE: recipes of lab/tables, all of them without it.
bench: lab
	$(LAB) bench $(if $(TABLE),--table $(TABLE)) $(BENCH)

# Cases, policies and seeds of lab/league.toml: build/results/league.
league: lab
	$(LAB) league $(LEAGUE)

# The kept tables as pages for a browser: build/report/index.html.
report:
	@lab/setup.sh
	@$(LAB) report

test: lab vm-tests fuzz-targets
	PYTHONPATH=lab $(PYTHON) tests/run.py

# Each target for SECONDS; one of them or all.
fuzz: fuzz-targets
	PYTHONPATH=lab $(PYTHON) -m tests.fuzz.run $(if $(SECONDS),--seconds '$(SECONDS)') \
		$(if $(TARGET),--target '$(TARGET)')

fuzz-targets:
	@lab/setup.sh
	@$(MAKE) --no-print-directory -j$$(nproc) -C tests/fuzz

# What the tests need on a kernel that checks itself; its tree is what modules are built against,
# too. $(1): which kernel
define build_for_kernel
	@$(LAB) debug-kernel $(1)
	$(call build_module,.cache/$(1)/linux,build/$(1)/kernel,modules)
	$(call build_tests,.cache/$(1)/linux,build/$(1))
endef

# The tests in the guest on such a kernel. $(1): which one, $(2): options for pytest
test_with_kernel = PGHOT_KERNEL=$(1) PYTHONPATH=lab $(PYTHON) -m pytest -v -n 2 --dist loadfile \
	--no-loadscope-reorder $(or $(2),tests/vm)

debug-vm-tests: guest setup
	$(call build_for_kernel,debug$(SUFFIX))

debug-test: debug-vm-tests
	$(call test_with_kernel,debug$(SUFFIX),$(DEBUG_TEST))

# How long a soak run acts, and which one it is. ONLY=loads: pghot is loaded and unloaded all the time;
# ONLY=moves: pages are moved all the time.
MINUTES ?= 10
SOAK := PYTHONPATH=lab:tests/vm $(PYTHON) -m tests.soak --minutes '$(MINUTES)' \
	$(if $(SEED),--seed '$(SEED)') $(if $(ONLY),--only '$(ONLY)')

soak: guest vm-tests
	@$(SOAK)

debug-soak: debug-vm-tests
	@PGHOT_KERNEL=debug$(SUFFIX) $(SOAK)

race-test: guest setup
	$(call build_for_kernel,kcsan$(SUFFIX))
	$(call test_with_kernel,kcsan$(SUFFIX),$(RACE_TEST))

# All interleavings of the lock-free parts, also those that take long to explore.
explore:
	@$(MAKE) --no-print-directory -C tests/unit/explore deep

# What pghot costs in instructions; after `make demo`.
bench-costs: lab vm-tests
	PYTHONPATH=lab $(PYTHON) bench/costs.py

# What finding hot pages costs; after `make bench TABLE=sources`.
bench-detection: lab vm-tests
	PYTHONPATH=lab $(PYTHON) bench/detection.py

# What the page cache source costs a read.
bench-reads: lab vm-tests
	PYTHONPATH=lab $(PYTHON) bench/reads.py

# What the record map costs at real size; takes 6 GiB of memory.
bench-core: lab vm-tests
	PYTHONPATH=lab $(PYTHON) bench/core.py

# The promotion rate limit and the hot threshold under a load with pauses.
bench-throttle: lab vm-tests
	PYTHONPATH=lab $(PYTHON) bench/throttle.py

# What a program that has as much promoted as it can takes from one that only wants to run.
bench-adversary: lab vm-tests
	PYTHONPATH=lab $(PYTHON) bench/adversary.py

# Interrupts of promotion in guests with 8 to 128 CPUs, and its CPU time.
bench-cpus: lab vm-tests
	PYTHONPATH=lab $(PYTHON) bench/cpus.py

# Large machines, by count and by simulation; takes 8 GiB of memory.
bench-scale: setup
	PYTHONPATH=lab $(PYTHON) bench/scale.py $(SCALE)

# The documentation as pages: build/docs/html/index.html.
docs: setup
	@PYTHONPATH=lab $(PYTHON) -m docs.build

check: setup lab-module
	PYTHONPATH=lab $(PYTHON) -m tests.check

calibrate: lab
	$(LAB) calibrate

# Patches for the kernel's tree: build/series/*.patch.
series:
	@lab/setup.sh
	@$(LAB) series

# Each patch by itself: build/series/log has a line for each.
series-check: guest vm-tests
	@lab/setup.sh
	@$(LAB) series-check
	@PYTHONPATH=lab:tests/vm $(PYTHON) -m pytest -q tests/series

# The kernel with all patches against the module on that kernel without them. The module is built in
# the kernel's tree as series-pair leaves it.
series-bench: plugin guest
	@lab/setup.sh
	@$(LAB) series-pair
	$(call build_module,.cache/series/linux,build/series/kernel,modules)
	PYTHONPATH=lab $(PYTHON) bench/series.py $(SEEDS)

setup:
	@lab/setup.sh
	@$(LAB) setup

lab: plugin guest lab-module

plugin: setup
	@$(MAKE) --no-print-directory -C lab/plugin

guest: setup
	@$(MAKE) --no-print-directory -C lab/guest CC=$(GUEST_CC) OUT=$(CURDIR)/build/$(GUEST)/bin

# Kernel builds write next to the sources: they get a tree of links to them.
# $(1): kernel build folder, $(2): output folder, $(3): more arguments
define build_module
	@mkdir -p $(2)
	@cp -asf $(CURDIR)/kernel/. $(2)
	@find $(2) -xtype l -delete
	@$(MAKE) --no-print-directory -j$$(nproc) -C $(1) M=$(CURDIR)/$(2) $(3)
endef

# For the kernel that the lab boots.
lab-module: setup
	$(call build_module,$(HEADERS),$(OUT)/kernel,modules)

# All sources, looked at by sparse: tests/check.py reads what it says.
sparse: setup
	$(call build_module,$(HEADERS),$(OUT)/sparse,C=2 PGHOT_INJECT=1 modules)

# What the tests in the guest need besides the module: the same module, made to fail where its tests
# ask for it, and their own programs and modules.
# $(1): kernel build folder, $(2): output folder
define build_tests
	$(call build_module,$(1),$(2)/inject,PGHOT_INJECT=1 modules)
	@$(MAKE) --no-print-directory -C tests/vm KDIR=$(CURDIR)/$(1) BUILD=$(CURDIR)/$(2) \
		GUEST_CC=$(GUEST_CC)
endef

vm-tests: lab-module
	$(call build_tests,$(HEADERS),$(OUT))

# For the kernel that runs here.
module:
	@test -d $(KDIR) || { echo "no kernel headers in $(KDIR): install them (Debian:" \
		"linux-headers-$$(uname -r)), or name their folder with KDIR=" >&2; exit 1; }
	$(call build_module,$(KDIR),build/module,-j$$(nproc) modules)

RELEASE = $(shell cat $(KDIR)/include/config/kernel.release)
INSTALLED = $(DESTDIR)/lib/modules/$(RELEASE)/updates/pghot.ko
DEPMOD = depmod $(if $(DESTDIR),-b $(DESTDIR)) -a $(RELEASE)
# The key of a kernel that was built here. Debian's headers come without one.
KEYS := $(wildcard $(KDIR)/certs/signing_key.pem $(KDIR)/certs/signing_key.x509)

# By hand, as modules_install complains of a key and of a System.map that headers have not.
install: module
	install -D -m 644 build/module/pghot.ko $(INSTALLED)
	strip --strip-debug $(INSTALLED)
	$(if $(KEYS),$(KDIR)/scripts/sign-file sha512 $(KEYS) $(INSTALLED))
	$(DEPMOD)
	@$(MAKE) --no-print-directory -f packaging/install.mk install PREFIX=$(PREFIX)

uninstall:
	rm -f $(INSTALLED)
	$(DEPMOD)
	@$(MAKE) --no-print-directory -f packaging/install.mk uninstall PREFIX=$(PREFIX)

# build/deb/*.deb
deb:
	@lab/setup.sh debhelper dh-dkms dpkg-dev fakeroot lintian
	@packaging/deb.sh

# The packages on a Debian 13 that nothing of this project had touched: install, boot, upgrade.
test-packages: deb
	@lab/setup.sh mmdebstrap
	@PYTHONPATH=lab $(PYTHON) -m tests.packages.run

# The steps of docs/admin-guide.md for Secure Boot, in a guest that has it on.
test-secure-boot: deb
	@lab/setup.sh mmdebstrap
	@PYTHONPATH=lab $(PYTHON) -m tests.packages.secure_boot

clean:
	rm -rf build

distclean: clean
	rm -rf .cache
