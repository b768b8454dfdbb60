"""The machine itself: operating system, kernel, names, processors, memory, time."""

import re
from collections.abc import Iterator

from walissh.memory.entry import Found
from walissh.memory.extract import limits
from walissh.memory.extract.commandline import Asked
from walissh.memory.extract.measured import environment
from walissh.memory.extract.shapes import Lines, PairReader, Pairs, labelled, only

MAX_ROWS = 400

SHOWING = frozenset({"cat", "head", "tail", "grep", "egrep", "zgrep", "awk", "sed", "less", "more"})


def read(asked: Asked, lines: Lines, _host: str) -> Iterator[Found]:
    """Yield the durable properties of the machine; load, clock and use are none."""
    reader = _BY_PROGRAM.get(asked.program)
    if reader is None and asked.program in SHOWING:
        reader = next((r for part, r in _BY_FILE if any(part.search(a) for a in asked.args)), None)
    if reader is None:
        return
    for subject, value in reader(asked, lines[:MAX_ROWS]):
        if value.strip():
            yield environment(subject, value, asked.inside)


# --- operating system -----------------------------------------------------------------

_RELEASE = re.compile(r"^(?P<k>[A-Z_]+)=[\"']?(?P<v>[^\"'\n]*)[\"']?\s*$")
_FAMILY = re.compile(r"/etc/(\w+?)[-_](?:release|version)")


def _os_files(asked: Asked, lines: Lines) -> Pairs:
    pairs = {m["k"]: m["v"] for line in lines if (m := _RELEASE.match(line.strip()))}
    name = pairs.get("NAME") or pairs.get("ID") or pairs.get("DISTRIB_ID") or ""
    version = pairs.get("VERSION") or pairs.get("VERSION_ID") or pairs.get("DISTRIB_RELEASE") or ""
    full = pairs.get("PRETTY_NAME") or pairs.get("DISTRIB_DESCRIPTION") or f"{name} {version}"
    if full.strip():
        yield "os", full
        return
    line = next((line.strip() for line in lines if line.strip()), "")
    line = re.sub(r"\s*\\[nlrmso]\b", "", line)
    family = _FAMILY.search(" ".join(asked.args))
    if re.fullmatch(r"[\d.]+|\w+/sid", line) and family:
        yield "os", f"{family[1].capitalize()} {line}"
    elif re.match(r"[A-Z][\w ./-]+ \d", line) or re.match(r"[A-Za-z][\w ]+ release V?\d", line):
        yield "os", line


def _lsb(asked: Asked, lines: Lines) -> Pairs:
    for line in lines:
        match = re.match(r"Description:\s*(.+)", line)
        if match:
            yield "os", match[1].strip("\"'")
            return
    short = re.fullmatch(r"\"?([A-Z][\w ./()-]*\d[\w ./()-]*)\"?", only(lines))
    if short and "s" in asked.said:
        yield "os", short[1]


def _sw_vers(_: Asked, lines: Lines) -> Pairs:
    pairs = {
        key.strip(): value.strip() for key, _, value in (each.partition(":") for each in lines)
    }
    if pairs.get("ProductName") and pairs.get("ProductVersion"):
        yield "os", f"{pairs['ProductName']} {pairs['ProductVersion']}"


def _freebsd(_: Asked, lines: Lines) -> Pairs:
    if re.fullmatch(r"\d+\.\d+-[A-Z]\S+", only(lines)):
        yield "os", f"FreeBSD {only(lines)}"


_KERNEL = re.compile(r"\d+\.\d+(?:\.\d+)?[\w.+~-]*")


def _uname(asked: Asked, lines: Lines) -> Pairs:
    letters = "".join(a.lstrip("-") for a in asked.args)
    line = next((line.strip() for line in lines if re.match(r"Linux\s", line.strip())), "") or only(
        lines
    )
    words = line.split()
    if "a" in letters and len(words) > 2:
        yield "kernel", words[2]
        yield "architecture", next((w for w in words if w in _MACHINES), "")
    elif "r" in letters:
        yield "kernel", next((w for w in words if _KERNEL.fullmatch(w)), "")
    elif letters == "n" and len(words) == 1:
        yield "hostname", words[0]
    if letters and "a" not in letters and "m" in letters:
        yield "architecture", next((w for w in words if w in _MACHINES), "")


_MACHINES = frozenset("x86_64 aarch64 armv7l i686 ppc64le s390x riscv64 arm64 loongarch64".split())  # noqa: SIM905


def _arch(_: Asked, lines: Lines) -> Pairs:
    if only(lines) in _MACHINES:
        yield "architecture", only(lines)


def _proc_version(_: Asked, lines: Lines) -> Pairs:
    match = re.match(r"Linux version (\S+)", lines[0]) if lines else None
    if match:
        yield "kernel", match[1]


_HOSTNAMECTL = {
    "Static hostname": "hostname", "Operating System": "os", "Kernel": "kernel",
    "Architecture": "architecture", "Virtualization": "virtualization",
    "Hardware Model": "hardware model", "Hardware Vendor": "hardware vendor",
    "Deployment": "deployment", "Location": "location",
}  # fmt: skip


# what container engines and hypervisors give their own bridges, in every machine alike
_BRIDGE = re.compile(
    r"172\.(?:1[7-9]|2\d|3[01])\.0\.1|192\.168\.122\.1|10\.88\.0\.1|10\.(?:42|244)\.\d+\.[01]"
    r"|169\.254\.\d+\.\d+|127\.\d+\.\d+\.\d+"
)
_CONTAINER_ID = re.compile(r"(?=\w*\d)[0-9a-f]{12}")


def _hostname(asked: Asked, lines: Lines) -> Pairs:
    line = only(lines)
    if re.search(r"(?:^|\s)-\w*[Ii]", asked.said):
        for address in re.findall(r"\d+\.\d+\.\d+\.\d+", line):
            if not _BRIDGE.fullmatch(address):
                yield f"address {address}", address
    elif _CONTAINER_ID.fullmatch(line):
        return
    elif re.fullmatch(r"[\w.-]{1,253}", line) and all(a.startswith("-") for a in asked.args):
        yield "fqdn" if "f" in asked.said else "hostname", line


def _hostname_file(_: Asked, lines: Lines) -> Pairs:
    if re.fullmatch(r"[\w.-]{1,253}", only(lines)) and not _CONTAINER_ID.fullmatch(only(lines)):
        yield "hostname", only(lines)


# --- processors and memory ------------------------------------------------------------

_LSCPU = labelled({
    "CPU(s)": "cpu count", "Model name": "cpu model", "Architecture": "architecture",
    "Hypervisor vendor": "virtualization", "型号名称": "cpu model", "架构": "architecture",
    "CPU": "cpu count",
})  # fmt: skip


def _nproc(_: Asked, lines: Lines) -> Pairs:
    if re.fullmatch(r"\d{1,4}", only(lines)):
        yield "cpu count", only(lines)


def _cpuinfo(asked: Asked, lines: Lines) -> Pairs:
    if re.search(r"(?:^|\s)-\w*c", asked.said):
        yield from _nproc(asked, lines)
        return
    model = next((m[1] for line in lines if (m := re.match(r"model name\s*:\s*(.+)", line))), "")
    yield "cpu model", model
    count = sum(line.startswith("processor") for line in lines)
    if count and not asked.filters and asked.program == "cat":
        yield "cpu count", str(count)


_FREE = re.compile(
    r"\s*(?P<k>Mem|Swap|内存|交换)\s*[:：]\s*(?P<v>[\d.]+\s?[KMGTP]?i?B?)(?:\s|$)", re.I
)


def _free(asked: Asked, lines: Lines) -> Pairs:
    unit = _free_unit(asked)
    for line in lines:
        match = _FREE.match(line)
        value = match["v"].strip() if match else ""
        if match and not re.fullmatch(r"0(?:\.0)?B?", value):
            value += f" {unit}" if value.isdigit() else ""
            yield "memory total" if match["k"].lower() in {"mem", "内存"} else "swap total", value


def _free_unit(asked: Asked) -> str:
    long = re.search(r"--(bytes|kilo|mega|giga|kibi|mebi|gibi)", asked.said)
    if long:
        return {"bytes": "bytes", "kibi": "KiB", "mebi": "MiB", "gibi": "GiB"}.get(
            long[1], f"{long[1][0].upper()}B"
        )
    letters = "".join(a[1:] for a in asked.args if re.fullmatch(r"-[a-z]+", a))
    letter = next((each for each in letters if each in "bkmg"), "k")
    return {"b": "bytes", "k": "KiB", "m": "MiB", "g": "GiB"}[letter]


def _meminfo(_: Asked, lines: Lines) -> Pairs:
    for line in lines:
        match = re.match(r"(MemTotal|SwapTotal|HugePages_Total):\s*([1-9]\d*(?: kB)?)", line)
        if match:
            subject = {"MemTotal": "memory total", "SwapTotal": "swap total"}
            yield subject.get(match[1], "huge pages"), match[2]


def _swapon(_: Asked, lines: Lines) -> Pairs:
    for line in lines:
        match = re.match(r"(/\S+)\s+(file|partition)\s+(\S+)", line)
        if match:
            yield f"swap {match[1]}", f"{match[1]} {match[3]}"


def _dmi(asked: Asked, lines: Lines) -> Pairs:
    if "serial" in asked.said or "uuid" in asked.said:
        return
    key = re.search(r"(?:-s |id/)(?:system-)?([a-z_-]+)", asked.said)
    if key and len(only(lines)) < 80:
        yield f"hardware {key[1].replace('-', ' ').replace('_', ' ')}", only(lines)
    yield from labelled({"Product Name": "hardware model", "Manufacturer": "hardware vendor"})(
        asked, lines
    )


def _virt(_: Asked, lines: Lines) -> Pairs:
    if re.fullmatch(r"[a-z0-9-]{2,20}", only(lines)):
        yield "virtualization", only(lines)


# --- time and language ----------------------------------------------------------------

_ZONE = re.compile(r"[A-Z][A-Za-z_]+(?:/[A-Z][A-Za-z_+-]+\d*){0,2}|UTC|GMT")


def _timedatectl(asked: Asked, lines: Lines) -> Pairs:
    for line in lines:
        match = re.match(r"\s*(?:Time ?zone|时区)\s*[:=：]\s*(\S.*)", line, re.I)
        if match:
            yield "time zone", match[1]
    if "--value" in asked.args and "timezone" in asked.said:
        yield from _timezone_file(asked, lines)


def _timezone_file(_: Asked, lines: Lines) -> Pairs:
    if _ZONE.fullmatch(only(lines)):
        yield "time zone", only(lines)


def _date(asked: Asked, lines: Lines) -> Pairs:
    if asked.args and re.fullmatch(r"\+['\"]?(?:%Z|%z|%Z ?%z|%z ?%Z)['\"]?", asked.args[-1]):
        line = only(lines)
        if re.fullmatch(r"[A-Z]{2,5}|[+-]\d{4}|[A-Z]{2,5} ?[+-]\d{4}|[+-]\d{2}", line):
            yield "time zone", line


def _localtime(asked: Asked, lines: Lines) -> Pairs:
    match = re.search(r"zoneinfo/(\S+)", "\n".join(lines[:20]))
    if match and "localtime" in asked.said:
        yield "time zone", match[1]


def _locale(_: Asked, lines: Lines) -> Pairs:
    for line in lines:
        match = re.match(r"\s*(?:System Locale:\s*)?LANG=\"?([\w.@-]+)\"?", line)
        if match:
            yield "locale", match[1]


_BY_PROGRAM: dict[str, PairReader] = {
    "sw_vers": _sw_vers, "freebsd-version": _freebsd,
    "uname": _uname, "arch": _arch, "lsb_release": _lsb, "hostnamectl": labelled(_HOSTNAMECTL),
    "hostname": _hostname, "lscpu": _LSCPU, "nproc": _nproc, "free": _free, "swapon": _swapon,
    "dmidecode": _dmi, "systemd-detect-virt": _virt, "virt-what": _virt,
    "timedatectl": _timedatectl, "date": _date, "locale": _locale, "localectl": _locale,
    "ls": _localtime, "readlink": _localtime,
    "realpath": _localtime, **limits.BY_PROGRAM,
}  # fmt: skip
_BY_FILE: tuple[tuple[re.Pattern[str], PairReader], ...] = (
    (re.compile(r"/etc/(?:\S*-release|\*?\S*release\S*|debian_version|issue)|/os-release"),
     _os_files),
    (re.compile(r"/proc/version$"), _proc_version),
    (re.compile(r"/etc/hostname|kernel/hostname"), _hostname_file),
    (re.compile(r"/proc/cpuinfo"), _cpuinfo),
    (re.compile(r"/proc/meminfo"), _meminfo),
    (re.compile(r"/class/dmi/id/"), _dmi),
    (re.compile(r"/etc/timezone"), _timezone_file),
    (re.compile(r"/etc/(?:default/locale|locale\.conf)"), _locale),
    *limits.BY_FILE,
)  # fmt: skip
