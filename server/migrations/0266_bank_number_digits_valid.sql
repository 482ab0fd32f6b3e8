alter table bank_transfer validate constraint bank_transfer_number;
