"""Writes sunspots.csv and co2.csv for `tracer train forecast --series`, from the data that the Python package statsmodels
brings along (checked with 0.15.0):

    python3 -m venv venv && venv/bin/pip install statsmodels
    venv/bin/python docs/series_from_statsmodels.py [FOLDER]

sunspots.csv  the mean number of sunspots of each year, 1700 to 2008 (National Geophysical Data Center): 309 rows
co2.csv       CO2 in the air above Mauna Loa in ppm, weekly, 1958-03-29 to 2001-12-29 (Keeling and Whorf 2004): 2,284
              rows, 59 of them without a value

statsmodels itself is under the BSD licence. It says of both sets that they are in the public domain.
"""
import pathlib
import sys

import statsmodels
import statsmodels.datasets as datasets


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    sunspots = datasets.sunspots.load_pandas().data
    sunspots["YEAR"] = sunspots["YEAR"].astype(int)
    sunspots.columns = ["year", "sunspots"]
    sunspots.to_csv(folder / "sunspots.csv", index=False)
    co2 = datasets.co2.load_pandas().data
    co2.to_csv(folder / "co2.csv", index_label="date", date_format="%Y-%m-%d")
    for name, table in [("sunspots.csv", sunspots), ("co2.csv", co2)]:
        missing = int(table.iloc[:, -1].isna().sum())
        print(f"{folder / name}: {len(table)} rows, {missing} without a value (statsmodels {statsmodels.__version__})")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))
