-- The trace of the request that raised the notice (W3C Trace Context): its delivery becomes a part of that trace. A session that
-- charges sets it, and the triggers that raise notices need not know of it. In two steps, so that no row is written anew.
ALTER TABLE notices ADD COLUMN traceparent text;
ALTER TABLE notices ALTER COLUMN traceparent SET DEFAULT nullif(current_setting('penknife.traceparent', true), '');
