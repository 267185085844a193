"""Shell sessions as pages show them: read, run as one would type them, and held against what is shown."""
import os
import re
import subprocess

MARK = "--- end of a step, with status "


def read_steps(blocks):
    """(command, lines shown) for each command of the blocks, which open with `$ ` and the first command."""
    steps = []
    for block in blocks:
        lines = iter(block.splitlines())
        for line in lines:
            if not line.startswith("$ "):
                steps[-1][1].append(line)
                continue
            command = line[2:]
            here = re.search(r"<<'(\w+)'", command)
            while here and command.splitlines()[-1] != here[1]:
                command += "\n" + next(lines)
            steps.append((command, []))
    return steps


def matches(shown, output):
    """Whether the output is what is shown: a line ... stands for any lines, and /.../ for any folders."""
    pattern = ""
    for line in shown:
        pattern += "(?:.*\n)*" if line == "..." else re.escape(line).replace(re.escape("/.../"), "/.*/") + "\n"
    return re.fullmatch(pattern, output) is not None


def walk(steps, folder, **variables):
    """What is wrong with the first command that does not give what is shown, or nothing.

    The commands run in one shell, in the folder, where /tmp/ is folder/tmp/. A command whose output is shown may fail for all to
    see; one whose output is not shown may print anything, and may not fail."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OPCAT")}
    script = "".join(f"{command}\necho '{MARK}'$?\n" for command, _ in steps)
    done = subprocess.run(["bash"], input=script.replace("/tmp/", f"{folder}/tmp/"), cwd=folder, text=True, check=False,
                          env={**environment, **variables}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    parts = re.split(re.escape(MARK) + r"(\d+)\n", done.stdout)
    results = list(zip(parts[0::2], map(int, parts[1::2])))
    for (command, shown), (output, status) in zip(steps, results):
        output = output.replace(f"{folder}/tmp/", "/tmp/")
        if shown and not matches(shown, output):
            return f"$ {command}\nshould print:\n" + "\n".join(shown) + f"\nand prints:\n{output}"
        if not shown and status:
            return f"$ {command}\nfails with {status}:\n{output}"
    if len(results) != len(steps):
        return f"the session ends with: {steps[len(results)][0]}"
    return ""
