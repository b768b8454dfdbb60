"""Containers: what docker and kubectl show, read to a cause."""

# ruff: noqa: E501  the tables of docker and kubectl are as wide as they are

from collections.abc import Mapping

import pytest

from tests.offline_talk import Ended, Talk, machine

DOCKER_HEAD = (
    "CONTAINER ID   IMAGE                    COMMAND                  CREATED       "
    "STATUS                         PORTS                      NAMES\n"
)
DOCKER = DOCKER_HEAD + (
    '0a1b2c3d4e5f   stall/api:2.4            "/bin/api --serve"       2 days ago    '
    "Restarting (1) 8 seconds ago                              stall-api\n"
    '1a1b2c3d4e5f   stall/web:1.0            "nginx -g daemon off;"   2 days ago    '
    "Up 2 days                      0.0.0.0:8080->80/tcp       stall-web\n"
)
LISTENING = (
    "Netid State  Recv-Q Send-Q Local Address:Port Peer Address:Port Process\n"
    'tcp   LISTEN 0      128    0.0.0.0:22         0.0.0.0:*         users:(("sshd",pid=9,fd=3))\n'
)
STATE = """            "Status": "restarting",
            "OOMKilled": false,
            "ExitCode": 1,
            "Error": "",
        "RestartCount": 41,
            "Memory": 268435456,
"""
LOG = """2026-03-02 10:00:01 starting
KeyError: 'STALL_DB_URL'
"""
PODS_HEAD = "NAMESPACE   NAME                    READY   STATUS             RESTARTS      AGE   IP           NODE\n"
NODES = "NAME    STATUS   ROLES    AGE   VERSION\nnode1   Ready    <none>   90d   v1.30.2\n"


def marked(log: str) -> str:
    """Return *log* as the probe marks it."""
    return "".join(f"| {line}\n" for line in log.splitlines())


def docker(listed: str, state: str = STATE, log: str = LOG) -> Mapping[str, Ended]:
    """Return a machine with docker: its list, one container's state, its log."""
    return {
        "docker ps -a": Ended(0, listed),
        "docker inspect": Ended(0, state),
        "docker logs": Ended(0, marked(log)),
        "ss -tulpn": Ended(0, LISTENING),
        " -o pid,": Ended(0, "    1     0 root  Ss  0  0.0  0.0  9000  900 /sbin/init\n"),
    }


def pods(line: str, described: str = "", log: str = "") -> Mapping[str, Ended]:
    """Return a machine with kubectl and one pod that is not well."""
    well = "shop   web-7d9c6bd5c7-aaaaa    1/1   Running   0   3d   10.1.0.4   node1\n"
    return {
        "kubectl get pods": Ended(0, PODS_HEAD + line + well),
        "kubectl get nodes": Ended(0, NODES),
        "kubectl describe pod": Ended(0, described),
        "kubectl logs": Ended(0, marked(log)),
        "kubectl get endpoints": Ended(0, "NAMESPACE NAME ENDPOINTS AGE\nend\n"),
    }


def asked(question: str, host: Mapping[str, Ended], language: str = "en") -> str:
    return Talk({"web1": machine("", host)}, "zh" if language == "zh" else "en").ask(question)


@pytest.mark.parametrize(
    ("question", "language", "named"),
    [
        ("容器 stall-api 为什么一直重启", "zh", "根因（"),
        ("why does the container stall-api restart", "en", "Root cause ("),
    ],
)
def test_a_restart_loop_is_told_with_exit_code_and_last_log_line(
    question: str, language: str, named: str
) -> None:
    answer = asked(question, docker(DOCKER), language)
    assert named in answer
    assert "stall-api" in answer
    assert "KeyError: 'STALL_DB_URL'" in answer
    assert "41" in answer


def test_a_container_over_its_memory_limit_is_told_with_the_limit() -> None:
    state = STATE.replace('"OOMKilled": false', '"OOMKilled": true').replace(": 1,", ": 137,")
    answer = asked("why does the container stall-api die", docker(DOCKER, state))
    assert "OOMKilled" in answer
    assert "256 MiB" in answer


@pytest.mark.slow
def test_a_port_that_is_taken_keeps_a_container_from_starting() -> None:
    listed = DOCKER.replace("Restarting (1) 8 seconds ago", "Created                     ")
    error = "driver failed programming external connectivity: Bind for 0.0.0.0:80 failed: port is already allocated"
    answer = asked(
        "docker: why is the container stall-api not started",
        docker(listed, STATE.replace('"Error": ""', f'"Error": "{error}"')),
    )
    assert "port is already allocated" in answer
    assert "Root cause (" in answer


@pytest.mark.slow
def test_a_dead_daemon_is_the_cause_and_a_missing_permission_is_not() -> None:
    dead = "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?\n"
    barred = "permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock\n"
    assert "dockerd" in asked("docker does not work", docker(dead)).split("Root cause (")[1]
    answer = asked("docker does not work", docker(barred))
    assert "Root cause (" not in answer
    assert "may not talk to docker" in answer


@pytest.mark.slow
def test_a_port_that_is_not_published_is_named() -> None:
    listed = (
        DOCKER_HEAD
        + DOCKER.splitlines()[2].replace("0.0.0.0:8080->80/tcp", "8080/tcp            ")
        + "\n"
    )
    answer = asked("the container is up but port 8080 does not answer", docker(listed))
    assert "not published" in answer


def test_containers_that_run_name_no_cause() -> None:
    listed = DOCKER_HEAD + DOCKER.splitlines()[2] + "\n"
    answer = asked("is anything wrong with the docker containers", docker(listed))
    assert "Root cause (" not in answer
    assert "1 containers are fine" in answer


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_crash_loop_of_a_pod_is_told_with_its_log(language: str) -> None:
    host = pods(
        "shop   cart-5f6d8-xyz12   0/1   CrashLoopBackOff   17 (2m ago)   1h   10.1.0.9   node1\n",
        "    State:          Waiting\n      Reason:       CrashLoopBackOff\n      Exit Code:    3\n",
        "cart: cannot read /etc/cart/cart.yaml: No such file or directory\n",
    )
    question = (
        "集群里 pod cart 为什么反复重启" if language == "zh" else "why does the pod cart restart"
    )
    answer = asked(question, host, language)
    assert ("根因（" if language == "zh" else "Root cause (") in answer
    assert "cannot read /etc/cart/cart.yaml" in answer
    assert "3" in answer


@pytest.mark.slow
def test_a_pod_over_its_memory_limit_is_told_with_the_limit() -> None:
    host = pods(
        "shop   cart-5f6d8-xyz12   0/1   CrashLoopBackOff   17 (2m ago)   1h   10.1.0.9   node1\n",
        "    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n      memory:  128Mi\n",
        "cart: loading\n",
    )
    answer = asked("why does the pod cart restart", host)
    assert "OOMKilled" in answer
    assert "128Mi" in answer


@pytest.mark.slow
def test_an_image_that_cannot_be_pulled_is_named() -> None:
    host = pods(
        "shop   cart-5f6d8-xyz12   0/1   ImagePullBackOff   0   1h   10.1.0.9   node1\n",
        "    Image:          registry.example.com/cart:9\n"
        '  Warning  Failed     2m (x4 over 4m)  kubelet  Failed to pull image "registry.example.com/cart:9": not found\n'
        "  Warning  BackOff    1m (x9 over 4m)  kubelet  Back-off pulling image\n",
    )
    answer = asked("pod cart is not running", host)
    assert "registry.example.com/cart:9" in answer
    assert "not found" in answer


@pytest.mark.slow
def test_a_pending_pod_is_told_with_what_the_scheduler_says() -> None:
    host = pods(
        "shop   cart-5f6d8-xyz12   0/1   Pending   0   1h   <none>   <none>\n",
        "  Warning  FailedScheduling  30s  default-scheduler  0/1 nodes are available: 1 Insufficient memory.\n",
    )
    answer = asked("why is the pod cart pending", host)
    assert "Insufficient memory" in answer
    assert "Root cause (" in answer


@pytest.mark.slow
def test_a_node_that_is_not_ready_is_told_with_its_reason() -> None:
    host = {
        **pods("", ""),
        "kubectl get nodes": Ended(0, NODES.replace("Ready   ", "NotReady")),
        "kubectl describe node": Ended(
            0,
            "  Ready   False   Mon, 02 Mar 2026 10:00:00 +0000   Mon, 02 Mar 2026 09:00:00 +0000   "
            "KubeletNotReady   container runtime is down\n",
        ),
    }
    assert "container runtime is down" in asked("is a node of the cluster down", host)


@pytest.mark.slow
def test_a_service_without_endpoints_is_named() -> None:
    host = {
        **pods("", ""),
        "kubectl get endpoints": Ended(
            0, "NAMESPACE  NAME  ENDPOINTS  AGE\nshop  cart  <none>  3d\n"
        ),
    }
    answer = asked("the kubernetes service cart gives 503", host)
    assert "has no endpoints" in answer


@pytest.mark.slow
def test_a_cluster_in_order_names_no_cause() -> None:
    answer = asked("are the pods of the cluster fine", pods("", ""))
    assert "Root cause (" not in answer
    assert "nodes are ready" in answer
