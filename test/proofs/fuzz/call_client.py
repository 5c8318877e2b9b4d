"""Calls every operation of the generated client once. Arguments: folder of the client, base address, JSON of path parameters."""
import importlib
import json
import pkgutil
import sys

folder, base_url, given = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
sys.path.insert(0, folder)
import launch_client  # noqa: E402
from launch_client import api  # noqa: E402

client = launch_client.Client(base_url=base_url, headers={"PAYMENT-SIGNATURE": "yes"}, timeout=60)
failed = 0
for _, name, is_package in pkgutil.walk_packages(api.__path__, api.__name__ + "."):
    if is_package:
        continue
    module = importlib.import_module(name)
    operation = name.rsplit(".", 1)[1]
    if operation in ("stream", "get_sol_bursts_stream"):  # endless, and needs a pass
        continue
    answer = module.sync_detailed(client=client, **given.get(operation, {}))
    parsed = type(answer.parsed).__name__
    is_good = answer.status_code == 200 and hasattr(answer.parsed, "to_dict")
    failed += not is_good
    print(f"{operation}: {answer.status_code.value} {parsed}" + ("" if is_good else " (not as it should be)"))
sys.exit(1 if failed else 0)
