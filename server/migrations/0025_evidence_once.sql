-- One receipt proves one disbursement: the same document cannot stand for two.
create unique index disbursement_evidence_once on disbursement (evidence);
