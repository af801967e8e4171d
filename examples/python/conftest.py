pytest_plugins = ["penknife_mock"]
