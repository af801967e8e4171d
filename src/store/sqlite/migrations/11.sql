-- The trace of the request that raised the notice (W3C Trace Context): its delivery becomes a part of that trace.
ALTER TABLE notices ADD COLUMN traceparent TEXT;
