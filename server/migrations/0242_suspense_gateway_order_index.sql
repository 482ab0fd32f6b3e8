-- Each order that is booked as paid asks for its strangers' items under its lock: only the items that name an order are looked at.
-- outside a transaction
drop index concurrently if exists suspense_item_gateway_order;
create index concurrently suspense_item_gateway_order on suspense_item (gateway_order_id) where gateway_order_id is not null;
