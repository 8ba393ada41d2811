// The table of error codes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/cli/ErrorCodes.h"

namespace mlc::common {

const std::vector<ErrorCode> &errorCodes() {
  static const std::vector<ErrorCode> table = {
      // The spec.
      {"E0101", "unknown field",
       "The message has no field of this name. Nothing is ignored: a typo would else train another model. The help "
       "names "
       "the nearest field, or the message that has it; 'mlc spec explain MESSAGE' lists all fields."},
      {"E0102", "reference to nothing",
       "A name refers to an input column or a feature column that is not declared. Input columns stand in "
       "input.column; "
       "feature columns are named after their key, with what tf.estimator appends ('job_embedding', 'a_X_b')."},
      {"E0103", "braces or brackets do not match",
       "A block or list is closed too late, too early or not at all. The place is a guess from the indentation; the "
       "block "
       "that stands open is named beside it."},
      {"E0104", "not the text format",
       "Something stands where the name of a field, a ':' or a value should: '=' for ':', typographic quotes, a string "
       "that does not end on its line, UTF-16."},
      {"E0105", "a value of another type",
       "The value cannot be read as the field's type: text for a number, an unknown name of an enum, a default_value "
       "that "
       "is no value of its column."},
      {"E0106", "set twice",
       "A field that has one value is set twice in a file, or two fields of which only one can be. Across files "
       "(include, "
       "--overlay) the later one wins instead."},
      {"E0107", "something needed is missing", "The message cannot do without this field or one of these blocks."},
      {"E0108", "out of range", "The value is of the right type but not allowed; 'expected' tells the range."},
      {"E0109", "a name twice",
       "Two columns, feature columns, evals or elements of a list have one name; both places are shown. A feature "
       "column "
       "can be renamed with 'name'."},
      {"E0110", "a feature column of the wrong kind",
       "A dnn takes numbers: numeric, bucketized, indicator and embedding columns. Indicators and embeddings are made "
       "of categorical columns, buckets of numeric ones."},
      {"E0111", "a glob that matches nothing",
       "No feature column has a name that fits. A pattern without a match is nearly always a typo."},
      {"E0112", "a name that cannot be one",
       "A range such as I[1-13] is malformed ('[[' is a bracket), or the name has characters that names of models "
       "lack."},
      {"E0113", "a path that cannot be expanded",
       "A variable ${NAME} of a path is not set, or the path is empty. ${NAME:-default} has a default. Only fields "
       "that are "
       "paths expand variables."},
      {"E0114", "a file that cannot be read",
       "The spec, an include, an overlay or a vocabulary cannot be opened, or is empty."},
      {"E0115", "a newer spec", "The spec_version is of a later mlc; use that one."},
      {"E0116", "an include that includes itself", "The files include each other in a circle."},
      {"E0117", "an old name",
       "The field has another name now; it is read all the same. 'mlc spec upgrade' rewrites it."},
      {"E0120", "a list that must grow",
       "Each boundary must be above the one before; buckets are compared as float32."},
      {"E0121", "sizes that contradict each other",
       "Two lists, or a number and a list, must agree: classes and label_vocabulary, boundaries and values."},
      {"E0122", "the label is a feature",
       "A model that sees its label learns nothing else. Leave the column out of the feature columns."},
      {"E0123", "a column of the wrong type",
       "The dtype or shape of an input column does not fit its use: numbers for numeric, integers or strings for "
       "categories, "
       "one value per row for a label. Floats are no categories: floats that print alike may differ."},
      {"E0131", "fields that exclude each other",
       "Only one of the fields may be set. With includes or --set, both places are shown; --unset takes one away."},
      {"E0199", "a bug in the import of a spec", "A checked spec gave a model that does not verify; please report it."},
      // The command line and settings.
      {"E0200", "a wrong argument", "A value given to the trainer cannot be used."},
      {"E0201", "no such verb", "The first word after the program is a verb; --help lists them."},
      {"E0202", "no such flag", "The verb has no flag of this name; '-' and '_' are alike. VERB --help lists them."},
      {"E0203", "a value that the flag cannot have", "'expected' tells what it takes."},
      {"E0204", "a flag without its value", "Write --flag=VALUE or --flag VALUE."},
      {"E0205", "a flag given twice", "Only flags that say so may be repeated."},
      {"E0206", "an argument missing or too many", "The usage line of VERB -h shows what the verb takes."},
      {"E0207", "an arguments file that cannot be read",
       "@FILE stands for the words of FILE, with quotes as in a shell."},
      {"E0208", "a change of what is no spec", "--set before compilation, --unset and --overlay need a .pbtxt spec."},
      {"E0209", "a stage that is passed", "The module is lowered further than what is asked for needs it to be."},
      {"E0211", "an unknown path",
       "--set and --unset take full dotted paths ('train.batch_size', 'feature_column.NAME.embedding.dimension'); "
       "elements "
       "of lists go by name or index. A tail that is unique today is ambiguous tomorrow."},
      {"E0212", "a setting that is compiled in",
       "The trainer can change fields of stage START only (files, steps, rates); others need 'mlc compile --set', or "
       "'mlc "
       "train SPEC --set', which compiles."},
      {"E0213", "a value that the setting cannot have", "'expected' tells type and range; += appends to lists only."},
      {"E0214", "a setting without a value", "The setting must be set, in the spec or with --set."},
      {"E0215", "a damaged table of settings", "The trainer's manifest cannot be read; compile again."},
      {"E0216", "no such eval set", "--name and --eval_files refer to the evals of the spec."},
      {"E0217", "no such prediction key", "--keys takes keys of the head; 'TRAINER info' lists them."},
      {"E0218", "early stopping that cannot work",
       "The metric is none that evaluation gives, or the condition lacks its bound."},
      {"E0219", "a warm start that cannot work",
       "A name matches no variable, a variable is not in the checkpoint, or its shape does not fit: for "
       "train.warm_start and for an embedding's ckpt_to_load_from."},
      {"E0220", "two outputs of one name",
       "A forwarded column and a prediction key have one name; a reader of the output could not tell them apart."},
      {"E0221", "an entry or input that does not fit",
       "mlc run: the model has no such entry or value, an input lacks, a feed is not needed, or an array has another "
       "dtype or shape than 'expected' tells."},
      {"E0222", "a TF_CONFIG that cannot be used",
       "The environment variable TF_CONFIG does not describe a cluster with this process in it; 'mlc doctor' explains "
       "it."},
      {"E0223", "a checkpoint policy that cannot work",
       "A name of train.checkpoint is taken or cannot name directories, or an expression of vars matches no variable: "
       "'TRAINER info' lists them."},
      {"E0224", "an exporter that cannot work",
       "A name is taken or cannot name a directory, the metric of a BEST exporter is none that evaluation gives, or a "
       "field has no meaning for the kind."},
      {"E0225", "shards that cannot be placed so",
       "An expression of train.shards matches no variable, or the servers or the rows are fewer than it says: "
       "the text tells which."},
      {"E0226", "a validation cut that cannot be made",
       "train.validation needs a share, or a column and the first value of it that is held out; an eval set with "
       "on_validation needs it; files of arrays have no records to cut by."},
      {"E0227", "nothing to tune by",
       "mlc tune needs train.early_stopping, which says what is better, and settings to try that the spec has."},
      {"E0228", "a table of tiles that cannot be used",
       "A file of --kernel_table is of another version or damaged, names a chip or a tile that there is not, or has no "
       "line for the chip, or for some shapes; 'mlc tune-kernels' writes tables."},
      // Data.
      {"E0300", "unusable data", "The data cannot be read as the spec says."},
      {"E0302", "a label or id that is not known",
       "A cell is not in the vocabulary, or outside the ids, of its column."},
      {"E0310", "no such file", "A file or glob matches nothing; the nearest name is shown."},
      {"E0311", "an unreadable file",
       "Reading failed, a gzip or zstd stream, a Parquet file or a file of arrays is damaged or has what is not read, "
       "or "
       "files of two kinds are given."},
      {"E0312", "an empty file", "There is no header, or no row."},
      {"E0313", "a damaged record", "A quote is not closed, or there are NUL bytes."},
      {"E0314", "a row of another length",
       "The row has more or fewer fields than the header (is the delimiter right?), or an array fewer or more examples "
       "than the others."},
      {"E0315", "a cell that does not parse", "The cell cannot be read as its column's dtype."},
      {"E0316", "a missing value", "The column's use needs a value; default_value or on_missing: SKIP_ROW help."},
      {"E0317", "a column that the file lacks", "The header, the schema or the file of arrays has no such name."},
      {"E0318", "a damaged description of the input", "The trainer's manifest cannot be read; compile again."},
      {"E0319", "a feature that does not fit",
       "The program asks for another type than the input, a column or an array, has."},
      {"E0320", "too many bad rows", "More rows with an error than max_bad_rows allows; its default is 0."},
      // Checkpoints and artifacts.
      {"E0400", "something is not there", "A file or value that is needed does not exist."},
      {"E0401", "no checkpoint", "The directory has none that is complete."},
      {"E0402", "a checkpoint of another model", "Its variables differ; --fresh or another --model_dir."},
      {"E0403", "a damaged checkpoint", "A file of it does not have the recorded content."},
      {"E0404", "a model_dir in use", "Another trainer writes to it."},
      {"E0405", "not writable", "A file or directory cannot be written."},
      {"E0406", "another version", "The checkpoint or artifact is of a version that this program cannot read."},
      {"E0407", "not a trainer, or a damaged one", "The artifact cannot be used; compile again."},
      {"E0408", "not an exported model, or a damaged one",
       "The directory has no signature, a file of it does not have the recorded content, or the golden rows give other "
       "predictions than when the model was exported: nothing is predicted then."},
      {"E0409", "a trainer that cannot export", "Its model has no predict entry, or an older mlc linked it."},
      // Clusters.
      {"E0410", "a task is lost", "It does not answer, or does not come; the message names it. Trying again may help."},
      {"E0411", "a task of another job", "It runs another model, version or setting, or is not of this cluster."},
      {"E0412", "cannot listen", "The address is in use, is not one of this host, or would be open to others."},
      {"E0413", "a task of a local cluster failed",
       "mlc launch: the task ended with an error, which ended the job; its last lines are shown, its log is named."},
      // Runs and outputs.
      {"E0500", "an internal error", "A bug of mlc; please report the line."},
      {"E0501", "the loss is not finite",
       "Training diverged: lower the learning rate, clip gradients, check the data."},
      {"E0502", "a run that does not fit into memory",
       "The state, the copy of it that a checkpoint is written from, and the temporaries of a step need more than a "
       "limit of the process (a cgroup, RLIMIT_AS) or the machine allows; 'mlc doctor' shows the limits. --force goes "
       "on all the same."},
      {"E0503", "a GPU is lost",
       "The driver says that it does not work any more: it fell off the bus, its memory or a link fails, or a kernel "
       "ended for no cause that is told. What was saved is there; trying again may help. One that comes again at the "
       "same step may be a bug of mlc."},
      {"E0504", "no GPU to run on",
       "A GPU was asked for, and there is no driver, no such GPU, or one that the code is not for. Without asking "
       "(--device auto) the code for the CPU runs."},
      {"E0505", "no NCCL",
       "--gpu_sums asks for it, and there is no library libnccl.so.2, it is too old, or it does not connect the GPUs."},
      {"E0601", "not writable", "An output cannot be written."},
      {"E0602", "an output that is an input",
       "The file to write is one that is read, perhaps by a link: writing would replace it. Nothing was written."},
      {"E0701", "the compiler refuses the model", "A pass reported an error; the place is that of the spec."},
      {"E0702", "no code could be made", "The target refuses the code or the CPU."},
      {"E0703", "code with unexpected imports", "A bug of mlc; please report it."},
      {"E0704", "a failure of the compiler",
       "A bug of mlc; please report it with the file that 'help' names: the module before the passes that failed, and "
       "these."},
      {"E0705", "a plug-in that cannot be loaded",
       "The file of --load is no shared library, lacks the entry of a plug-in with dialects, or was built for another "
       "mlc or MLIR; see plugins.md."},
      // What metrics say against a model: warnings.
      {"E0801", "the model is not better than no model",
       "The shares of the classes, the most frequent class or the mean of the labels, predicted for every row, do as "
       "well. Too few or too many "
       "steps, a learning rate that is too large or too small, or features that do not tell the label."},
      {"E0802", "one class for all rows",
       "The labels have several classes, the predictions one. With a rare class probabilities may be useful all the "
       "same: look at auc and thresholds."},
      {"E0803", "far worse than on training data",
       "The model has learnt rows by heart, or the data of evaluation are of another kind. Early stopping, dropout, "
       "regularizers, fewer units or more rows help."},
      {"E0804", "sure of what is wrong",
       "Many rows are given nearly no probability for their true class: the logits have grown too large, or labels are "
       "wrong."},
      // What samples of data say against them: warnings.
      {"E0805", "most values are unknown",
       "Most values of a categorical column are in no vocabulary or out of range, so the model cannot tell them apart. "
       "Other data than the spec was made for, or another way of writing the same values."},
      {"E0806", "a column of one value",
       "All rows have the same value. Of training data such a column tells nothing; of new data, where it varies in "
       "training data, it was perhaps not filled in."},
      {"E0807", "a column without values",
       "No row of the training data has a value, or most rows of new data have none and those of training have."},
      {"E0808", "labels that are not scaled",
       "A regression learns large numbers in their own units: first predictions are near 0, and it takes many steps to "
       "come near them. label_transform keeps predictions and metrics in the labels' units."},
      {"E0809", "a layer that is not active",
       "All units of a hidden layer are 0 for all rows, so the layers before it are no longer trained."},
  };
  return table;
}

} // namespace mlc::common
