-- One receipt proves one disbursement: the same document cannot prove two.
create unique index disbursement_evidence_once on disbursement (evidence);
