"""Policy files from strangers: altered headers with right checksums, and bytes that only look like a policy."""

import json
import random
import shutil
from collections.abc import Iterator

import numpy as np

import swarmbed
from faults.campaign import Outcome, described
from faults.corruption import damaged
from faults.place import new_place
from faults.values import tomlable
from swarmbed.policy.headers import shipped_policies
from swarmbed.spec import config, files
from swarmbed.spec.errors import SwarmbedError

HUGE = (0, 10**5, 10**6, 10**9, 2**31 - 1, 10**12, 10**30, -1)


def hostile_policies(chance: random.Random) -> Iterator[Outcome]:
    place = new_place()
    path = place / "stranger.safetensors"
    names = list(shipped_policies().values())
    try:
        while True:
            source = chance.choice(names)
            arrays, metadata = files.load_arrays(source)
            way = chance.choice(("settings", "settings", "arrays", "bytes", "header"))
            if way == "settings":
                metadata = metadata | {"config": _other_settings(metadata["config"], chance)}
                files.save_arrays(path, arrays, metadata)
            elif way == "arrays":
                files.save_arrays(path, _other_arrays(arrays, chance), metadata)
            else:
                content = source.read_bytes()
                path.write_bytes(damaged(content, chance)[1] if way == "bytes" else _other_header(content, chance))
            yield _used(path, f"{source.stem}, other {way}")
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _other_settings(text: str, chance: random.Random) -> str:
    settings = config.parse(text, "a header")
    for _ in range(chance.randrange(1, 3)):
        section = chance.choice(list(settings))
        name = chance.choice([*settings[section], "nonsense"])
        match chance.randrange(4):
            case 0:
                settings[section].pop(name, None)
            case 1:
                settings[section][name] = chance.choice(HUGE)
            case 2:
                settings.pop(section)
            case _:
                settings[section][name] = tomlable(chance)
        if not settings:
            break
    return config.dump(settings)


def _other_arrays(arrays: dict[str, np.ndarray], chance: random.Random) -> dict[str, np.ndarray]:
    changed = dict(arrays)
    name = chance.choice(list(arrays))
    match chance.randrange(5):
        case 0:
            del changed[name]
        case 1:
            changed[name] = np.zeros((3, 0), np.float32)
        case 2:
            changed[name] = arrays[name].astype(np.complex64).view(np.float32)
        case 3:
            changed[name] = arrays[name].astype(chance.choice((np.float64, np.int8, np.bool_, np.float16)))
        case _:
            changed["../../" + name] = arrays[name]
    return changed


def _other_header(content: bytes, chance: random.Random) -> bytes:
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    name = chance.choice([key for key in header if key != "__metadata__"])
    match chance.randrange(5):
        case 0:
            header[name]["data_offsets"] = [chance.choice((0, -1, 2**63, 10**30)), chance.choice((0, 10**18, 4))]
        case 1:
            header[name]["shape"] = [chance.choice(HUGE), chance.choice(HUGE)]
        case 2:
            header[name]["dtype"] = chance.choice(("BF16", "F8_E4M3", "U64", "BOOL", "", "nonsense"))
        case 3:
            header["__metadata__"] = chance.choice(({}, {"format": "x"}, None, [], {"config": "a = 1"}))
        case _:
            return chance.choice((2**63, 0, 10**9, length + 1)).to_bytes(8, "little") + content[8:]
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + content[8 + length :]


def _used(path: object, what: str) -> Outcome:
    """Loaded and, where that works, about to be run: a swarm that does not fit is refused before it is compiled."""
    try:
        policy = swarmbed.load_policy(path)  # type: ignore[arg-type]
        from swarmbed.learn import estimate

        estimate.check_episodes(policy.task, 1, 1, policy.task.horizon)
    except SwarmbedError:
        return None
    except Exception as error:
        return f"{what}: {described(error)}"
    return None
