"""count_choices.py COMMAND...: runs shard-fuzz and prints its last line, and how many of its
failures are no choice of propagation."""

import re
import subprocess
import sys

done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, text=True)
sorts = re.findall(r"(?m)^(\d+) x (.*)", done.stdout)
print(done.stdout.strip().splitlines()[-1])
print("other failures:",
      sum(int(count) for count, text in sorts if "propagation chooses" not in text))
