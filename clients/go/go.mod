module penknife.example/penknifemock

go 1.19
