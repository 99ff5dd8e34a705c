// Every label that has an index by its author; a test compares them with the node classes.
// variables: n
AND n:Checkpoint|ContextReceipt|EventConsumer|Goal|Memory|Outcome|PendingAction|PendingCommit|Question|ResultPart|Session|StateExport
  |Story|Summary|ToolInvocation|Turn
