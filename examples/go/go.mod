module retry.example

go 1.19

require penknife.example/penknifemock v0.0.0

replace penknife.example/penknifemock => ../../clients/go
