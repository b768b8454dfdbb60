"""A machine with nginx in front of an application, put together from what its commands say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.offline_ailing import ailing, listens, ps
from tests.offline_talk import Machine

URL = "http://tea.example.com/"
NGINX = (
    ps(50, "nginx: master process /usr/sbin/nginx", user="root"),
    ps(51, "nginx: worker process", parent=50, user="www-data"),
)
FRONT = listens(80, 50, "nginx")
WEB_CONF = """upstream tea_room {
    server 127.0.0.1:7300;
}
server {
    listen 80 default_server;
    server_name tea.example.com;
    client_max_body_size 3m;
    location / {
        proxy_pass http://tea_room;
    }
    location /files/ {
        alias /srv/tea/files/;
    }
}
"""
GOOD = "nginx: configuration file /etc/nginx/nginx.conf test is successful\nsyntax is ok\n"


def dump(files: Mapping[str, str]) -> str:
    """Return *files* as ``grep -n`` shows them in the dump of nginx."""
    lines: list[str] = []
    for path, text in files.items():
        lines += [f"# configuration file {path}:", *text.splitlines(), ""]
    return "".join(f"{n}:{line}\n" for n, line in enumerate(lines, 1) if line.strip())


def upstream_error(said: str, *, to: str = "http://127.0.0.1:7300/", path: str = "/") -> str:
    """Return a line of nginx's error log about its upstream."""
    return error(f'{said}, client: 192.0.2.9, server: tea.example.com, request: "GET {path}'
                 f' HTTP/1.1", upstream: "{to}", host: "tea.example.com"')  # fmt: skip


def error(said: str, level: str = "error") -> str:
    """Return a line of nginx's error log, a few seconds old."""
    return f"2026/11/30 11:59:55 [{level}] 51#51: *7 {said}"


@dataclass(frozen=True)
class Site:
    """What differs from a site in order. *more* are outputs by a part of their command."""

    status: int = 200
    conf: str = WEB_CONF
    errors: str = ""
    processes: Sequence[str] = ()
    ports: Sequence[str] = (FRONT,)
    logs: Mapping[str, str] = field(default_factory=dict)
    nginx: Sequence[str] = NGINX
    check: str = GOOD
    more: Mapping[str, str] = field(default_factory=dict)

    def machine(self) -> Machine:
        """Return the machine."""
        ends = "".join(f"==> {path} <==\n{text}\n" for path, text in self.logs.items())
        told = "time=0.2 verify=0 ip=127.0.0.1 redirect="
        answered = f"HTTP/1.1 {self.status} x\nanswered={self.status} {told}\n"
        main = "user www-data;\nevents { worker_connections 64; }\n"
        dumped = dump({"/etc/nginx/nginx.conf": main, "/etc/nginx/conf.d/tea.conf": self.conf})
        usual = {
            "command -v nginx": "/usr/sbin/nginx\n",
            "nginx -t": self.check,
            "nginx -T": dumped,
            "/var/log/nginx/*err*": f"==> /var/log/nginx/tea.error.log <==\n{self.errors}\n",
            "answered=": answered,
            "tail -n 6 ": ends,
            "tail -n 45": ends,
            "tail -n 12": ends,
            "lsof": "",
            "-exec grep -nHwE": "",
        }
        return ailing([*self.nginx, *self.processes], self.logs, ports=self.ports,
                      more={**self.more, **usual, **self.more})  # fmt: skip
