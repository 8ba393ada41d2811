"""The objects of the Kubernetes example, and what its pods run.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import yaml


class Manifest:
    """The one Job of a file, and the texts that its pods get."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            documents = list(yaml.safe_load_all(file))
        self.job = next(document for document in documents if document["kind"] == "Job")
        self.texts = {document["metadata"]["name"]: document["data"] for document in documents
                      if document["kind"] == "ConfigMap"}

    def pod(self, index):
        """Command and environment of the pod of an index."""
        container = self.job["spec"]["template"]["spec"]["containers"][0]
        environment = {"JOB_COMPLETION_INDEX": str(index)}
        for variable in container["env"]:
            source = variable["valueFrom"]["configMapKeyRef"]
            environment[variable["name"]] = self.texts[source["name"]][source["key"]]
        command = [word.replace("$(TRAIN)", environment["TRAIN"]) for word in container["command"]]
        return command, environment
