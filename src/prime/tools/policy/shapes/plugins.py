"""Programs that hand a subcommand they do not know to another program: `cargo foo` runs `cargo-foo`."""

from collections.abc import Mapping
from dataclasses import dataclass

from prime.tools.policy.shapes.words import Words


@dataclass(frozen=True, slots=True)
class _Host:
    """What it does itself, and which of its options before the subcommand take the next word.

    Where `valued` is None, an option before the subcommand means that it is one of its own.
    """

    own: frozenset[str]
    valued: frozenset[str] | None = None


_CARGO = (
    "add b bench build c check clean clippy config d doc fetch fix fmt generate-lockfile git-checkout help info init install "
    "locate-project login logout metadata miri new owner package pkgid publish r read-manifest remove report rm run rustc "
    "rustdoc search t test tree uninstall update vendor verify-project version yank"
)
_KUBECTL = (
    "alpha annotate api-resources api-versions apply attach auth autoscale certificate cluster-info completion config cordon "
    "cp create debug delete describe diff drain edit events exec explain expose get help kuberc kustomize label logs options "
    "patch plugin port-forward proxy replace rollout run scale set taint top uncordon version wait"
)
_GH = (
    "accessibility actions agent-task alias api attestation auth browse cache codespace completion config copilot cs "
    "environment exit-codes extension extensions ext formatting gist gpg-key help issue label licenses mintty org pr preview "
    "project reference release repo rs ruleset run search secret ssh-key status variable version workflow"
)
_DOCKER = (
    "attach build builder buildx checkpoint commit compose config container context cp create diff events exec export help "
    "history image images import info inspect kill load login logout logs manifest network node pause plugin port ps pull "
    "push rename restart rm rmi run save search secret service stack start stats stop swarm system tag top trust unpause "
    "update version volume wait"
)
_HELM = (
    "completion create delete dependency dep env fetch get help history hist init inspect install lint list ls package "
    "plugin pull push registry repo rollback search show status template test uninstall un upgrade verify version"
)
_BREW = (
    "--cache --caskroom --cellar --env --prefix --repository --taps --version abv alias analytics autoremove bundle casks "
    "cat cleanup command commands completions config deps desc developer docs doctor dr fetch formulae gist-logs help "
    "home homepage info install instal leaves link list ln log ls migrate missing options outdated pin postinstall "
    "readall reinstall remove rm search services shellenv tab tap tap-info uninstal uninstall unlink unpin untap up "
    "update upgrade uses vulns which-formula"
)
_HOSTS: Mapping[str, _Host] = {
    "cargo": _Host(frozenset(_CARGO.split()), frozenset({"--color", "--config", "-C", "-Z", "--explain"})),
    "kubectl": _Host(frozenset(_KUBECTL.split())),
    "gh": _Host(frozenset(_GH.split())),
    "docker": _Host(
        frozenset(_DOCKER.split()),
        frozenset(
            {"--config", "-c", "--context", "-H", "--host", "-l", "--log-level", "--tlscacert", "--tlscert", "--tlskey"}
        ),
    ),
    "helm": _Host(
        frozenset(_HELM.split()),
        frozenset(
            {"-n", "--namespace", "--kube-context", "--kubeconfig", "--kube-apiserver", "--kube-token", "--burst-limit"}
        ),
    ),
    "brew": _Host(frozenset(_BREW.split()), frozenset()),
}


def why(names: frozenset[str], words: Words) -> str | None:
    """A sentence when the subcommand is none of the program's own."""
    for name in sorted(names & _HOSTS.keys()):
        command = _subcommand(_HOSTS[name], words)
        if command and command not in _HOSTS[name].own:
            return f"`{name} {command[:40]}` is an alias, a plugin or another program."
    return None


def _subcommand(host: _Host, words: Words) -> str | None:
    rest = list(words.all)
    if host.valued is None:
        return None if not rest or rest[0].startswith("-") else rest[0]
    while rest and rest[0].startswith(("-", "+")) and rest[0] not in host.own:
        option = rest.pop(0)
        if option in host.valued and rest:
            rest.pop(0)
    return rest[0] if rest else None
