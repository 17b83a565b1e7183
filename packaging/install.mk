# SPDX-License-Identifier: GPL-2.0
# What `make install` and the Debian packages install, but the module: one list for both.
#   make -f packaging/install.mk install DESTDIR=... PREFIX=/usr

TOP := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))/..)
PREFIX ?= /usr/local
DESTDIR ?=
BIN := $(PREFIX)/bin
SHARE := $(PREFIX)/share
LIBEXEC := $(PREFIX)/libexec/pghot
# Where debhelper of Debian 12 looks for them in a package.
UNITS := $(if $(filter /usr,$(PREFIX)),,$(PREFIX))/lib/systemd/system
RULES := $(if $(filter /usr,$(PREFIX)),/lib,/etc)/udev/rules.d
PYTHON ?= python3
CALIBRATE ?= $(TOP)/build/install/calibrate

# The program that measures, which the lab has as well.
GUEST := $(TOP)/lab/guest
CALIBRATE_SOURCES := $(GUEST)/tools/calibrate.c $(addprefix $(GUEST)/shared/,args.c numa.c)

SOURCES := $(shell cd $(TOP)/tools && find pghot -name '*.py' -o -name '*.css')
MADE := man/man8/pghot.8.gz man/man4/pghot.4.gz bash-completion/completions/pghot \
	zsh/vendor-completions/_pghot doc/pghot-tools/schema.json
PAGES := pghot-events.8 pghot-cxl-map.8
EXAMPLES := grafana.json tmpfiles.conf
UNIT_FILES := $(notdir $(wildcard $(TOP)/packaging/systemd/*))

INSTALLED := $(BIN)/pghot $(PREFIX)/sbin/pghot-events $(PREFIX)/sbin/pghot-cxl-map \
	$(LIBEXEC)/calibrate $(RULES)/90-pghot.rules $(addprefix $(SHARE)/,$(MADE)) \
	$(addprefix $(UNITS)/,$(UNIT_FILES)) $(addprefix $(SHARE)/pghot/,$(SOURCES)) \
	$(addprefix $(SHARE)/doc/pghot-tools/examples/,$(EXAMPLES)) \
	$(addprefix $(SHARE)/man/man8/,$(PAGES))

.PHONY: install uninstall

$(CALIBRATE): $(CALIBRATE_SOURCES) $(wildcard $(GUEST)/shared/*.h)
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -pthread -Wall -Wextra $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) \
		-I$(GUEST)/shared -o $@ $(CALIBRATE_SOURCES)

install: $(CALIBRATE)
	install -D $(TOP)/packaging/command.py $(DESTDIR)$(BIN)/pghot
	install -D $(TOP)/tools/pghot-events $(DESTDIR)$(PREFIX)/sbin/pghot-events
	install -D $(TOP)/tools/pghot_cxl_map.py $(DESTDIR)$(PREFIX)/sbin/pghot-cxl-map
	install -D $(CALIBRATE) $(DESTDIR)$(LIBEXEC)/calibrate
	install -D -m 644 $(TOP)/packaging/config/90-pghot.rules $(DESTDIR)$(RULES)/90-pghot.rules
	install -D -m 644 $(TOP)/packaging/grafana/pghot.json \
		$(DESTDIR)$(SHARE)/doc/pghot-tools/examples/grafana.json
	install -D -m 644 $(TOP)/packaging/config/tmpfiles.conf \
		$(DESTDIR)$(SHARE)/doc/pghot-tools/examples/tmpfiles.conf
	install -D -m 644 -t $(DESTDIR)$(SHARE)/man/man8 $(addprefix $(TOP)/packaging/man/,$(PAGES))
	@for file in $(SOURCES); do \
		install -D -m 644 $(TOP)/tools/$$file $(DESTDIR)$(SHARE)/pghot/$$file; done
	@for unit in $(UNIT_FILES); do \
		install -d $(DESTDIR)$(UNITS); \
		sed 's,@BIN@,$(BIN),' $(TOP)/packaging/systemd/$$unit >$(DESTDIR)$(UNITS)/$$unit; done
	PYTHONPATH=$(TOP)/tools PYTHONDONTWRITEBYTECODE=1 $(PYTHON) -m pghot.make $(DESTDIR)$(SHARE)

uninstall:
	rm -f $(addprefix $(DESTDIR),$(INSTALLED))
	rm -rf $(DESTDIR)$(SHARE)/pghot
	@for folder in $(LIBEXEC) $(SHARE)/doc/pghot-tools/examples $(SHARE)/doc/pghot-tools; do \
		rmdir $(DESTDIR)$$folder 2>/dev/null || true; done
