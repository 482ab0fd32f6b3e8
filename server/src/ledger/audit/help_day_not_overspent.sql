-- At the end of each day on which something left the help fund, no earlier day had given more than its share.
select 'help of ' || was.day || ' at the end of ' || posted.day as subject, 'given ' || was.given || ' of ' || was.share as found
  from (select distinct posted_on as day from help_allotment where posted_on between :since and :until) posted
 cross join lateral help_days(posted.day) was where was.given > was.share
