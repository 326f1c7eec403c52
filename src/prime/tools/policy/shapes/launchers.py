"""Programs and options that run other programs. They ask, always: what they will run is not what a document describes."""

import re
from collections.abc import Mapping
from itertools import takewhile

from prime.tools.policy.shapes import plugins
from prime.tools.policy.shapes.words import Words

_SHELLS_TEXT = "sh bash dash zsh ksh mksh fish csh tcsh ash rbash yash nu pwsh powershell cmd elvish xonsh"
SHELLS = frozenset(_SHELLS_TEXT.split())
_INTERPRETERS_TEXT = (
    "python pypy ipython perl ruby irb node nodejs deno bun php lua luajit tclsh wish expect osascript awk gawk mawk nawk "
    "rscript r julia groovy scala java jshell guile racket sbcl clisp erl elixir iex ghci runghc swift ts-node tsx m4 "
    "mongosh mongo gdb lldb dc bc ed ex vi vim nvim view emacs nano less more most man rvim rview vimdiff evim gvim kak hx "
    "emacsclient micropython jython octave ghc stack cabal sbt lein clojure clj bb dart zig crystal ocaml raku gs bpftrace "
    "stap original-awk goawk xonsh lftp gforth maxima sage ipython3 nix-instantiate"
)
INTERPRETERS = frozenset(_INTERPRETERS_TEXT.split())
_WRAPPERS_TEXT = (
    "env nice ionice chrt taskset nohup timeout gtimeout stdbuf setsid time sudo doas su runuser pkexec gosu su-exec setpriv "
    "chroot unshare nsenter bwrap firejail proot fakeroot flock xargs gxargs parallel watch script strace ltrace ptrace perf "
    "valgrind systemd-run at batch crontab ssh mosh rsh slogin telnet nc ncat netcat socat tmux screen dtach entr watchexec "
    "hyperfine caffeinate numactl prlimit xvfb-run dbus-run-session dbus-launch faketime torsocks proxychains unbuffer rlwrap "
    "ld.so command exec eval source builtin busybox toybox make gmake bmake ninja cmake rake just task bazel gradle "
    "mvn ant tox nox npx pnpx bunx uvx pipx yarn pnpm lerna nx turbo vagrant ansible ansible-playbook salt fab direnv "
    "pre-commit run-parts start-stop-daemon capsh arch setarch linux32 linux64 choom coproc ifne chronic ssh-agent logrotate "
    "cgexec cpulimit trickle tsocks sshpass autossh xterm urxvt gnome-terminal konsole alacritty kitty foot terminator "
    "systemd-nspawn systemd-inhibit systemd-cat machinectl busctl gdbus dbus-send nix nix-shell nix-env guix mise asdf pyenv "
    "rbenv nodenv volta rvm aws-vault chamber doppler dotenv envchain envdir chpst setuidgid softlimit pee vipe vidir zrun "
    "xdotool ydotool anacron gdbserver rr reptyr bundle rspec jest mocha vitest gulp grunt webpack nodemon pm2 supervisorctl "
    "pytest py.test coverage gunicorn uvicorn celery flask scons meson invoke inv doit rails django-admin sponge nmap "
    "daemonize dumb-init tini catchsegv eatmydata concurrently act cap puppet chef-client packer spark-submit gradlew mvnw "
    "ldd open xdg-open sensible-browser gtk-launch visudo vipw vigr sudoedit select-editor sensible-editor editor pico joe shx"
)
_WRAPPERS = frozenset(_WRAPPERS_TEXT.split())
_ALL = SHELLS | INTERPRETERS | _WRAPPERS
# Options of sed that take no value.
_SED_FLAGS = re.compile(r"-[nrEsuz]+|--(?:quiet|silent|regexp-extended|separate|unbuffered|null-data|posix|debug)")
_PREFIXES = ("ld-linux", "ld-musl", "ld.so", "ld64", "python", "perl", "ruby", "lua", "tclsh", "php")
# Subcommands of programs that are otherwise not launchers.
# fmt: off
_SUBCOMMANDS: Mapping[str, tuple[str, ...]] = {
    # With the aliases and misspellings that npm takes; packages run scripts when they are installed, packed or updated.
    "npm": (
        "run", "run-script", "rum", "urn", "exec", "x", "test", "tst", "t", "start", "stop", "restart",
        "install", "add", "i", "in", "ins", "inst", "insta", "instal", "isnt", "isnta", "isntal", "isntall",
        "ci", "clean-install", "ic", "install-clean", "isntall-clean", "install-test", "it", "install-ci-test",
        "clean-install-test", "cit", "sit", "rebuild", "rb", "update", "up", "upgrade", "udpate", "link", "ln",
        "init", "create", "innit", "explore", "edit", "dedupe", "ddp", "audit fix", "version", "publish", "pack",
        "set-script",
    ),
    "uv": (
        "run", "tool run", "tool install", "tool upgrade", "sync", "lock", "export", "tree", "add", "remove", "build",
        "publish", "pip install", "pip sync", "pip compile",
    ),
    "pip": ("install", "wheel", "download"),
    "poetry": ("run", "install", "shell"),
    "pdm": ("run", "install"),
    "hatch": ("run", "shell"),
    "pipenv": ("run", "shell"),
    "conda": ("run",),
    "cargo": (
        "run", "test", "bench", "build", "check", "install", "clippy", "doc", "r", "t", "b", "c", "d", "fix", "rustc",
        "rustdoc", "miri", "package", "publish",
    ),
    "go": ("run", "test", "generate", "build", "install", "vet", "tool"),
    "dotnet": ("run", "test", "build"),
    "docker": ("run", "exec", "build", "buildx", "compose", "start", "create"),
    "docker-compose": ("run", "exec", "build", "up", "start", "create", "restart"),
    "podman": ("run", "exec", "build", "compose", "start", "create"),
    "nerdctl": ("run", "exec", "build", "compose"),
    "kubectl": ("exec", "run", "debug", "edit", "attach", "plugin"),
    "oc": ("exec", "run", "rsh", "debug", "edit"),
    "gh": ("extension", "extensions", "ext", "alias", "codespace", "cs", "copilot", "browse"),
    "apt-get": ("install", "source", "build-dep", "upgrade", "dist-upgrade", "full-upgrade"),
    "apt": ("install", "upgrade", "full-upgrade", "dist-upgrade", "edit-sources"),
    "brew": ("install", "instal", "reinstall", "upgrade", "postinstall", "services", "bundle", "edit", "create", "tap"),
    "helm": ("plugin",),
    "aws": ("ssm send-command", "ssm start-session", "ecs execute-command", "lambda invoke"),
    "az": ("run-command", "ssh"),
    "gcloud": ("ssh",),
    "gio": ("open", "launch"),
    "systemctl": ("edit",),
    "rustup": ("run",),
    "adb": ("shell",),
    "coredumpctl": ("gdb", "debug"),
    **dict.fromkeys(("lxc", "incus", "multipass"), ("exec", "shell")),
    "ip": ("netns exec",),
    **dict.fromkeys(("heroku", "railway", "fly", "flyctl", "op"), ("run", "ssh", "plugin")),
    "redis-cli": ("eval", "evalsha", "module", "script", "config set", "debug", "slaveof", "replicaof"),
}
# Options that name a program: short letters, long names, and single-dash words.
_OPTIONS: Mapping[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "find": ("", (), ("-exec", "-ok")),
    "tar": (
        "IF",
        (
            "to-command", "checkpoint-action", "use-compress-program", "info-script", "new-volume-script", "rsh-command",
            "rmt-command",
        ),
        (),
    ),
    "rsync": ("e", ("rsh", "rsync-path"), ()),
    "scp": ("SFo", (), ()),
    "sftp": ("SFobD", (), ()),
    "sort": ("", ("compress-program",), ()),
    "split": ("", ("filter",), ()),
    "zip": ("", ("unzip-command",), ("-tt",)),
    "wget": ("e", ("execute", "use-askpass", "config"), ()),
    "curl": ("K", ("config", "engine"), ()),
    "tcpdump": ("z", (), ()),
    "gpg": (
        "",
        ("photo-viewer", "exec-path", "options", "agent-program", "dirmngr-program", "keyboxd-program", "pinentry-program"),
        (),
    ),
    # Settings for a cluster name the program that signs in.
    **dict.fromkeys(("kubectl", "oc", "kustomize"), ("", ("kubeconfig",), ())),
    "helm": ("", ("kubeconfig", "post-renderer"), ()),
    # Whose modules are looked at is asked of the interpreter that is named.
    "pip": ("", ("python", "editor"), ()),
    "uv": ("", ("python",), ("-p",)),
    "psql": ("", ("output", "pset"), ("-o", "pager=", "-ppager=")),
    **dict.fromkeys(("mysql", "mariadb"), ("", ("pager", "plugin-dir", "tee"), ())),
    **dict.fromkeys(("nm", "ar", "ranlib", "ld", "strip", "objdump"), ("", ("plugin",), ("-plugin",))),
    "systemctl": ("H", ("host",), ()),
    "svn": ("", ("diff-cmd", "diff3-cmd", "editor-cmd", "config-option", "config-dir"), ()),
    "hg": ("", ("config", "config-file"), ()),
    "exiftool": ("", (), ("-if", "-config")),
    "mpv": ("", ("script", "scripts", "input-conf", "config-dir", "include"), ()),
    "tshark": ("X", (), ()),
    "code": ("", ("install-extension",), ()),
    "rg": ("", ("pre", "hostname-bin"), ()),
    "fd": ("xX", ("exec", "exec-batch"), ()),
    "go": ("", ("toolexec", "vettool", "exec"), ("-toolexec", "-vettool", "-exec")),
    "cargo": ("", ("config",), ()),
    "pandoc": ("F", ("filter", "lua-filter", "pdf-engine", "defaults"), ()),
    **dict.fromkeys(
        ("tex", "latex", "pdftex", "pdflatex", "xelatex", "lualatex", "luatex", "latexmk"),
        ("e", ("shell-escape", "enable-write18"), ("-shell-escape", "-enable-write18", "-latex", "-pdflatex")),
    ),
    **dict.fromkeys(("bat", "delta", "ag", "ack"), ("", ("pager",), ())),
    "fzf": ("", ("preview", "bind", "execute"), ()),
    "openssl": ("", (), ("-engine", "-provider", "-config")),
    "cpio": ("", ("rsh-command",), ()),
    "ctags": ("", ("options",), ()),
    **dict.fromkeys(
        ("yt-dlp", "youtube-dl"),
        ("", ("exec", "external-downloader", "downloader", "config-location", "config-locations", "netrc-cmd"), ()),
    ),
    "aria2c": ("", (), ("--on-", "--conf")),
    "redis-cli": ("", ("eval",), ()),
    **dict.fromkeys(
        ("gcc", "g++", "cc", "c++", "clang", "clang++", "cpp"),
        ("B", (), ("-wrapper", "-fplugin", "-specs", "--specs", "-xclang", "-fpass-plugin", "@")),
    ),
    "rustc": ("C", ("codegen",), ("@",)),
    **dict.fromkeys(("iptables", "ip6tables"), ("M", ("modprobe",), ())),
    "smbclient": ("c", ("command",), ()),
    "ssh-keygen": ("Dw", (), ()),
    "ssh-add": ("se", (), ()),
    "dpkg": ("i", ("install", "unpack", "configure", "pre-invoke", "post-invoke"), ()),
    "rpm": ("iUFE", ("install", "upgrade", "freshen", "eval", "define", "pipe", "load", "macros", "rcfile"), ()),
    "apt-get": ("oc", ("option", "config-file"), ()),
    "apt": ("oc", ("option", "config-file"), ()),
}
# fmt: on


def why(names: frozenset[str], words: Words) -> str | None:
    """A sentence when the program runs others by itself or is told to, else None."""
    name = min(names & _ALL, default=None)
    if name is None:
        name = next((one for one in sorted(names) if one.startswith(_PREFIXES)), None)
    if name is not None:
        return f"{name} runs other programs or code."
    if "sed" in names and not _sandboxed(words):
        return "A sed script can run programs (e) and write files (w)."
    return plugins.why(names, words) or _by_subcommand(names, words) or _by_option(names, words)


def _sandboxed(words: Words) -> bool:
    """Whether `--sandbox` is an option here: not a file's name after `--`, nor the value of the option before it."""
    before = takewhile(lambda word: word != "--sandbox", words.all)
    return "--sandbox" in words.all and all(_SED_FLAGS.fullmatch(word) for word in before)


def _by_subcommand(names: frozenset[str], words: Words) -> str | None:
    for name in sorted(names & _SUBCOMMANDS.keys()):
        for subcommand in _SUBCOMMANDS[name]:
            if words.sub(subcommand):
                return f"`{name} {subcommand}` runs programs or code that its document does not describe."
    return None


def _by_option(names: frozenset[str], words: Words) -> str | None:
    for name in sorted(names & _OPTIONS.keys()):
        short, long, single = _OPTIONS[name]
        # The first word of tar may be its letters without a dash.
        bare = words.all[:1] if name == "tar" and words.all and not words.all[0].startswith("-") else ()
        if words.short(short) or any(set(word) & set(short) for word in bare):
            return f"{name} is given an option that runs a program."
        if (long and words.long(*long)) or (single and words.begins(*single)):
            return f"{name} is given an option that runs a program."
    return None
