"""Which paths hold passwords or keys, also when written as a pattern or in a roundabout way."""

import posixpath
import re
from collections.abc import Iterable
from fnmatch import fnmatchcase

_SECRET = re.compile(
    r"(?i)(^|[/=@:~])("
    r"g?shadow-?|opasswd|\.env(?!\.(example|sample|template|dist)$)([._-][\w.-]+)?|\w*\.env|(\w+_)?id_(rsa|dsa|ecdsa|ed25519|ecdsa_sk)(?!.*\.pub)\S*"
    r"|[\w.*-]*\.(key|p12|pfx|jks|keystore|kdbx|ppk|keytab|asc|gpg|ovpn)"
    r"|(?![\w.-]*(cert|chain|ca\b|ca-|bundle|pub|root))[\w.*-]*\.pem|privkey\S*"
    r"|\.pgpass|\.my\.cnf|\.mylogin\.cnf|\.netrc|\.git-credentials|credentials(\.\w+)*|\.htpasswd|htpasswd"
    r"|\.aws/\S*|\.kube/\S*|kubeconfig\S*|(admin|kubelet|controller-manager|scheduler)\.conf"
    r"|\.docker/config\.json|secrets?(\.\w+)?|\.?vault[-_](token|pass\w*)|ssh_host_\w+_key"
    r"|debian\.cnf|wpa_supplicant\S*\.conf|environ|\.(bash|zsh|mysql|psql|rediscli|python)_?history"
    r"|\S*tfstate\S*|access_?tokens?\S*|application_default_credentials\.json|passwords?(\.\w+)?"
    r"|k3s\.yaml|node-token|\.npmrc|\.pypirc|\.s3cfg|\.boto|wp-config\.php|sssd\.conf|chap-secrets|psk\.txt"
    r"|[\w.-]*(密码|密钥|口令|令牌|凭据|凭证)[\w.-]*|wireguard/\S*|rabbitmq\.(conf|config)|mongod?_keyfile"
    r"|\.ssh/?(?!\S*(\.pub|known_hosts|authorized_keys|(?<=/)config)$)\S*"
    r"|ipsec\.secrets|master\.key|authinfo|\.gnupg/\S*|ssl/private/\S*|run/secrets/\S*|system-connections/\S*"
    r"|(server|agent)/token|sasl_passwd\S*|dovecot/users|rclone\.conf|krb5cc\S*|\.?vnc/passwd|gh/hosts\.yml"
    r"|secrets?/\S+|(?<!/pam\.d/)[\w.-]*(password|passphrase|secret|credential|api[_-]?key|client_secret)s?(\.(txt|ya?ml|json|ini|conf|cfg|xml|csv|enc|properties|toml))?"
    # what programs keep their accounts and keys in
    r"|htpasswd\S*|[\w-]+\.(passwd|htpasswd|pwd|users)|etc/(?!pam\.d/|default/)[\w.-]+/([\w.-]+/)?(passwd|smbpasswd|pwfile)|smbpasswd"
    r"|passwd\.(db|txt|client|cdb)|(?<!/pam\.d/)[\w.-]*[_-](pass|passwd|pw|pwd)(\.(txt|sh|ya?ml|conf|ini))?|pass_?phrases?\S*|passw(or)?d_?file\S*"
    r"|gitlab-runner/config\.toml|gitlab\.rb|radius\S*/clients\.conf|nslcd\.conf|slapd\.conf|\.?(msmtprc|fetchmailrc|offlineimaprc|mbsyncrc)"
    r"|(ssmtp|ddclient|inadyn)\.conf|(chap|pap|l2tp)-secrets|(bareos|bacula)-dir\.d/\S*|tsig\S*|pwfile|[\w.-]*psk|grub/user\.cfg|borg/keys/\S+|[\w.-]*(secret|private)[_-]?key(?![\w.-]*\.(py|rb|go|js|ts|java|c|h|rs|pub|md)$)[\w.-]*"
    r"|passwd\.client|(k3s|rke2)\.yaml|realm\.properties|tomcat-users\.xml|samba/private/\S*|share/keyrings/\S*\.keyring"
    r"|\.cloudflared/\S+|cloudflared/\S+\.(pem|json)|(\w+[_.-])?database\.ya?ml|database\.php|auth\.json|\.?smbcred\w*|\.?cifs\w*cred\w*"
    r"|ceph\S*\.keyring|doctl/config\.yaml|\.oci/\S+|\.aliyun/\S+|\.azure/\S+|\.config/gcloud/\S+|\.ossutilconfig|\.databrickscfg"
    r"|\.m2/settings\.xml|\.password-store/\S*|logins\.json|key[34]\.db|\.mc/config\.json|\.terraformrc|\.talos/config|talosconfig"
    r"|vault/(token|file/\S*|init\S*)|unseal\S*|\.config/op/\S*|\.cargo/credentials\S*|\.gem/credentials|hashes\.txt|htdigest|users\.digest"
    r"|\.?(p?gpass|mysql_pwd|mylogin)|odbc\.ini|tnsnames\S*\.wallet|[ec]wallet\.(p12|sso)|recovery[-_]codes?\S*|[\w.-]*[-_]token(\.(txt|json))?"
    r"|config\.v2\.json|\S*kubernetes\.io~(secret|projected)/\S*|\.viminfo|\.lesshst|terraform\.d/\S*"
    r")$"
)
# memory, whole disks, what other programs have open
_RAW = re.compile(
    r"/dev/(sd|hd|vd|xvd|nvme|mmcblk|md|dm-|loop|sr|nbd|rbd|zd|mapper/|disk/|mem$|kmem$|port$|vcs|input/"
    r"|(?!shm/|pts/|fd/)[\w-]+/[\w-]+$)|/proc/(kcore|[^/]+/(task/[^/]+/)?(mem|fd/.*|map_files/.*|environ))$"
)
_SAMPLES = (  # noqa: SIM905
    "/etc/shadow /etc/gshadow /root/.ssh/id_rsa /root/.ssh/id_ed25519 /root/.env "
    "/proc/1/environ /etc/ssl/private/server.key /etc/kubernetes/admin.conf /root/.kube/config "
    "/root/.aws/credentials /root/.docker/config.json /root/.pgpass /root/.my.cnf "
    "/etc/ssh/ssh_host_rsa_key /etc/mysql/debian.cnf /root/.bash_history /run/secrets/db "
    "/etc/letsencrypt/live/a/privkey.pem /dev/sda /dev/mapper/root /proc/kcore /proc/1/fd/3"
).split()
_NAMES = (  # noqa: SIM905
    "shadow gshadow id_rsa id_ed25519 .env environ server.key privkey.pem .pgpass .my.cnf "
    "credentials .netrc .git-credentials .htpasswd ssh_host_rsa_key .bash_history"
).split()

_OTHER_ROOT = re.compile(r"^(/proc/[^/]+(/task/[^/]+)?/(root|cwd)(?=/|$))+")
# a copy is as secret as the file: editors', packages' and people's endings
_COPY = re.compile(
    r"([~#]|-\d*|\.(bak|back|backup|old|orig|save|saved|sav|swp|swo|tmp|temp|copy|new|prev|gz|bz2|xz|zst"
    r"|dpkg-\w+|rpm\w+|ucf-\w+|pacsave|pacnew|\d+))+$",
    re.I,
)


def secret(path: str) -> bool:
    """Tell whether *path*, or a file that this pattern may name, holds passwords or keys.

    NUL stands in it for what is only known when the line runs.
    """
    return any(_secret(each) for each in _spellings(path.strip("\1")))


def waits(path: str) -> bool:
    """Tell whether reading *path* waits for a person, or for what the kernel says next."""
    return straight(path) in {"/dev/tty", "/dev/console", "/proc/kmsg", "/dev/kmsg"}


def bases(targets: Iterable[str], before: Iterable[str] = ()) -> list[str]:
    """Return the directories that relative paths may start from after ``cd`` to *targets*."""
    found = list(before) or ["/root"]
    for target in targets:
        home = re.sub(r"^~\w*", "/root", target)
        found = list(dict.fromkeys([*found, *(straight(posixpath.join(b, home)) for b in found)]))
    return found


def from_bases(path: str, starts: Iterable[str]) -> list[str]:
    """Return *path* and, if it is relative, what it is from each directory of *starts*."""
    plain = path.strip("\1")
    if plain.startswith(("/", "~")) or not plain:
        return [path]
    return [path, *(posixpath.join(start, plain) for start in starts)]


def straight(path: str) -> str:
    """Return *path* without detours: ``..``, doubled slashes, ``/proc/1/root``."""
    plain = posixpath.normpath(re.sub(r"/+", "/", path))
    return _OTHER_ROOT.sub("", plain) or "/"


def _spellings(path: str) -> set[str]:
    """Return *path* as written and in plainer ways that lead to the same file or a copy."""
    plain = re.sub(r"/(\./)*/*", "/", path)
    found = {plain, posixpath.normpath(plain)} if plain else {plain}
    found |= {_OTHER_ROOT.sub("", each) or "/" for each in found}
    for each in list(found):
        head, slash, name = each.rpartition("/")
        original = _COPY.sub("", name).strip("#")
        found |= {head + slash + original, head + slash + original.lstrip(".")}
    return found


def _secret(path: str) -> bool:
    if _SECRET.search(path.strip("\0")) or _RAW.match(path):
        return True
    if "\0" in path:  # what is only known later may be anything, slashes too
        return any(fnmatchcase(sample, path.replace("\0", "*")) for sample in _SAMPLES)
    if not re.search(r"[*?\[]", path):
        return False
    return any(_may_name(path, sample) for sample in _SAMPLES) or _may_be_named(path)


def _may_name(pattern: str, sample: str) -> bool:
    """Compare part by part, for ``*`` does not cross a slash; relative ones by their end."""
    pattern = re.sub(r"^(~\w*|/home/[^/]+)/", "/root/", pattern)
    mine, other = pattern.split("/"), sample.split("/")
    if not pattern.startswith("/"):
        other = other[-len(mine) :]
        if not re.search(r"\w", mine[-1]):
            return False
    same_length = len(mine) == len(other)
    return same_length and all(fnmatchcase(o, m) for m, o in zip(mine, other, strict=True))


def _may_be_named(pattern: str) -> bool:
    """Tell whether the last part, if it says something, fits the name of a file of secrets."""
    name = pattern.rpartition("/")[2]
    says_something = len(re.findall(r"\w", name)) > 1
    return says_something and any(fnmatchcase(each, name) for each in _NAMES)
