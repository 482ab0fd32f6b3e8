alter table signal_use validate constraint signal_use_kind_check;
