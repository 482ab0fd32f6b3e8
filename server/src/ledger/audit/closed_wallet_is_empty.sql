-- A closed wallet is empty and may move no money, and its account keeps no name and no address.
select 'member ' || w.member_id as subject,
       'closed with ' || w.balance || ' and ' || w.held || ' held'
         || case when w.may_move or w.auto_join then ', and may still move' else '' end
         || case when m.deleted_at is null or m.email is not null then ', but the account is open' else '' end as found
  from wallet w left join member m on m.id = w.member_id
 where w.is_closed and (w.balance <> 0 or w.held <> 0 or w.may_move or w.auto_join
                        or m.id is not null and (m.deleted_at is null or m.email is not null))
